const ONLY_LONG = ["--version"];

/** Programs that may be asked for their version, and how. Those that begin by running what lies in the folder are missing. */
export const VERSION_QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  node: ["--version", "-v"],
  npm: ["--version", "-v"],
  python: ["--version", "-V"],
  python3: ["--version", "-V"],
  pip: ["--version", "-V"],
  pip3: ["--version", "-V"],
  java: ["--version", "-version"],
  javac: ["--version", "-version"],
  go: ["version"],
  ...Object.fromEntries(
    ["bun", "deno", "uv", "ruby", "gem", "gcc", "g++", "clang", "make", "cmake", "git", "docker", "php", "perl"].map((name) => [
      name,
      ONLY_LONG,
    ]),
  ),
};
