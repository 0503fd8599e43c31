import stripAnsi from "strip-ansi";

/**
 * Makes text from a model, a tool or a file safe to print:
 *
 * 1. No control character is left but newline and tab, so no escape sequence can survive or come into being.
 * 2. Complete sequences (colours, cursor moves, titles, links) vanish; what remains of broken ones is shown (`␛`, `‹9B›`).
 * 3. Characters that reorder text are shown instead of obeyed (`‹202E›`).
 */
export function sanitize(text: string): string {
  return stripAnsi(text)
    .replace(LINE_BREAK, "\n")
    .replace(CONTROL, controlPicture)
    .replace(HIDDEN, (char) => `‹${hex(char)}›`)
    .replace(LONE_SURROGATE, "\uFFFD");
}

/** {@link sanitize}d and on one line: line breaks are shown as `⏎`, tabs become spaces. */
export function sanitizeLine(text: string): string {
  return sanitize(text).trim().replace(/\n/g, " ⏎ ").replace(/\t/g, " ");
}

const LINE_BREAK = /\r\n?|\u0085|\u2028|\u2029/g;
const CONTROL = /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]/g;
/** C1 controls (some terminals take U+009B for `ESC [`) and the embeddings, overrides and isolates of bidirectional text. */
const HIDDEN = /[\x80-\x9F\u202A-\u202E\u2066-\u2069]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

function controlPicture(char: string): string {
  const code = char.charCodeAt(0);
  return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
}
