import { fstatSync, readSync } from "node:fs";
import { isRecord, parseJson } from "../core/json.ts";

/** Where a log ends. */
export interface LogEnd {
  /** Bytes up to and including the last line feed: what comes behind is half a line. */
  readonly size: number;
  /** Of the last line that can be read; 0 when there is none. */
  readonly seq: number;
}

const LINE_FEED = 10;
const CHUNK_BYTES = 65_536;

/** Finds the end of an open log, reading only as much of its tail as that takes. */
export function findLogEnd(fd: number): LogEnd {
  let tail = Buffer.alloc(0);
  let start = fstatSync(fd).size;
  let size: number | undefined;
  while (start > 0) {
    const length = Math.min(CHUNK_BYTES, start);
    start -= length;
    const chunk = Buffer.alloc(length);
    readSync(fd, chunk, 0, length, start);
    tail = Buffer.concat([chunk, tail]);
    if (size === undefined) {
      const end = tail.lastIndexOf(LINE_FEED) + 1;
      size = end === 0 ? undefined : start + end;
      tail = tail.subarray(0, end);
    }
    const seq = lastSeq(tail, start === 0);
    if (seq !== undefined) return { size: size ?? 0, seq };
  }
  return { size: size ?? 0, seq: 0 };
}

/** The number of the last readable line; the first line counts only when it is known to be whole. */
function lastSeq(bytes: Buffer, isWhole: boolean): number | undefined {
  const lines = bytes.toString("utf8").split("\n");
  for (let index = lines.length - 1; index >= (isWhole ? 0 : 1); index--) {
    const value = parseJson(lines[index] ?? "");
    if (isRecord(value) && typeof value["seq"] === "number") return value["seq"];
  }
  return undefined;
}
