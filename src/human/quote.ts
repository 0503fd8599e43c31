/** Everything that some reader of text takes for the end of a line. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** A person's words as a Markdown quote: no line of theirs can be taken for a heading, a fence or a label of the document. */
export function quote(text: string): string {
  return text
    .split(LINE_ENDS)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** The words of a quoted line. */
export function unquote(line: string): string {
  return line.replace(/^> ?/, "");
}

/** Any text as one line. */
export function oneLine(text: string): string {
  return text.split(LINE_ENDS).join(" ").replace(/\s+/g, " ").trim();
}
