import fc from "fast-check";

/** Random text in which the pieces of escape sequences are far more likely than by chance. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\x1b",
        "\x9b",
        "\x1b[",
        "\x1b]",
        "\x9d",
        "\x07",
        "\x1b\\",
        "\x9c",
        "\x1bP",
        "\x1b[31m",
        "[2J",
        "8;;http://x",
        "0;title",
      ),
      fc.constantFrom(
        "\r",
        "\n",
        "\t",
        "\b",
        "\x7f",
        "\u202e",
        "\u2066",
        "\u2028",
        "\ud800",
        "界",
        "👩‍👩‍👧",
        "e\u0301",
        "m",
        "H",
        ";",
        "?25l",
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));
