import { type FileHandle, open } from "node:fs/promises";
import { hasCode } from "../core/files.ts";

const LINE_FEED = 10;
const CHUNK_BYTES = 65_536;

/**
 * Reads whole lines of a file that may grow. Each line comes out of one read, so that half a line, which may be cut off
 * and written anew, is never joined with what comes later. Memory is one chunk, or the longest line.
 */
export class LogLines {
  readonly #path: string;
  #file: FileHandle | undefined;
  /** Where the first line begins that was not given yet. */
  #position = 0;
  #buffer = Buffer.allocUnsafe(CHUNK_BYTES);

  constructor(path: string) {
    this.#path = path;
  }

  /** The next lines, without their line feeds; none when there is (as yet) nothing more, or no file. Only `\n` ends a line. */
  async next(): Promise<readonly string[]> {
    this.#file ??= await openIfThere(this.#path);
    if (!this.#file) return [];
    for (;;) {
      const { bytesRead } = await this.#file.read(this.#buffer, 0, this.#buffer.length, this.#position);
      const end = this.#buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
      if (end >= 0) {
        this.#position += end + 1;
        return this.#buffer.toString("utf8", 0, end).split("\n");
      }
      if (bytesRead < this.#buffer.length) return [];
      this.#buffer = Buffer.allocUnsafe(this.#buffer.length * 2);
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
