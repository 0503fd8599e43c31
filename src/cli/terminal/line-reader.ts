import { StringDecoder } from "node:string_decoder";
import { sanitize } from "./sanitize.ts";

export interface LineReader<Origin> {
  /** Called at the first byte of a line; what it returns comes with the line. */
  readonly begin: () => Origin;
  readonly onLine: (text: string, origin: Origin) => void;
  readonly onEnd: () => void;
}

/** Reads a stream line by line; a last line without a newline counts. Returns what stops it. */
export function readLines<Origin>(stdin: NodeJS.ReadableStream, { begin, onLine, onEnd }: LineReader<Origin>): () => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let origin: Origin | undefined;
  let stopped = false;
  const take = (text: string) => {
    for (const part of text.split(/(?<=\n)/)) {
      if (part === "") continue;
      origin ??= begin();
      rest += part;
      if (part.endsWith("\n")) submit();
    }
  };
  const submit = () => {
    const line = rest.replace(/\r?\n$/, "");
    const from = origin as Origin;
    rest = "";
    origin = undefined;
    onLine(sanitize(line), from);
  };
  const onData = (chunk: Buffer | string) => take(typeof chunk === "string" ? chunk : decoder.write(chunk));
  const finish = () => {
    if (stopped) return;
    stop();
    take(decoder.end());
    if (rest !== "") submit();
    onEnd();
  };
  const stop = () => {
    stopped = true;
    stdin.off("data", onData).off("end", finish).off("close", finish);
  };
  stdin.on("data", onData).on("end", finish).on("close", finish);
  // Stays for good: a terminal that goes away fails once more after it was closed.
  stdin.on("error", finish);
  return stop;
}
