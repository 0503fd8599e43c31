/** What an edit came to: the new text with the changed span, or why there is none. */
export type Replacement =
  | { readonly ok: true; readonly text: string; readonly count: number; readonly start: number; readonly end: number }
  | { readonly ok: false; readonly why: string };

/**
 * Replaces the one place where `wanted` stands, or all of them. In a file with CRLF line ends, a text written with LF (as models
 * see it) is found all the same, and the replacement gets CRLF too; other line ends stay as they are.
 */
export function replaceText(text: string, wanted: string, replacement: string, all: boolean): Replacement {
  if (wanted === "") return { ok: false, why: "old_string is empty. Give the text to replace, or use Write for a whole file." };
  if (wanted === replacement) return { ok: false, why: "old_string and new_string are the same." };
  const [from, to] = lineEndsOf(text, wanted, replacement);
  const pieces = text.split(from);
  const count = pieces.length - 1;
  if (count === 0) return { ok: false, why: notFoundText(text, wanted) };
  if (count > 1 && !all) {
    const lines = placesOf(pieces, from).map((offset) => text.slice(0, offset).split("\n").length);
    return {
      ok: false,
      why: `old_string stands at ${count} places (lines ${lines.slice(0, 10).join(", ")}). Add lines around it until it is unique, or set replace_all.`,
    };
  }
  const start = (pieces[0] as string).length;
  return { ok: true, text: pieces.join(to), count, start, end: start + to.length };
}

function lineEndsOf(text: string, wanted: string, replacement: string): readonly [string, string] {
  if (!text.includes("\r\n")) return [wanted, replacement];
  const crlf = toCrlf(wanted);
  if (wanted.includes("\n") && text.includes(wanted) && wanted !== crlf) return [wanted, replacement];
  return [crlf, toCrlf(replacement)];
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

function placesOf(pieces: readonly string[], between: string): readonly number[] {
  const places: number[] = [];
  let offset = 0;
  for (const piece of pieces.slice(0, -1)) {
    offset += piece.length;
    places.push(offset);
    offset += between.length;
  }
  return places;
}

function notFoundText(text: string, wanted: string): string {
  const squeeze = (value: string) => value.replace(/\s+/g, " ").trim();
  const alike = squeeze(wanted) !== "" && squeeze(text).includes(squeeze(wanted));
  const numbered = /^ *\d+\t/m.test(wanted);
  if (numbered) return "old_string was not found: it holds the line numbers that Read shows. Leave them out.";
  return `old_string was not found.${alike ? " The same words stand there with other white space: copy it exactly, indentation included." : " Read the file again and copy the text exactly."}`;
}
