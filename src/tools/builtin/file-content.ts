import { readFile, stat } from "node:fs/promises";
import { hasCode } from "../../core/files.ts";

/** A regular file's bytes and mode, or why they cannot be had. */
export type FileContent =
  | { readonly kind: "file"; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: "missing" }
  | { readonly kind: "folder" }
  | { readonly kind: "refused"; readonly why: string };

const MOST_BYTES = 64 * 1024 * 1024;
const SNIFFED_BYTES = 8_192;

/** Reads a regular file whole. Devices and pipes, which could block for ever, and huge files are refused. */
export async function loadFile(path: string): Promise<FileContent> {
  try {
    const info = await stat(path);
    if (info.isDirectory()) return { kind: "folder" };
    if (!info.isFile()) return { kind: "refused", why: "it is not a regular file (a device, pipe or socket)" };
    if (info.size > MOST_BYTES) {
      return { kind: "refused", why: `it has ${info.size} bytes, more than can be read at once; use Grep, or Bash with head, tail or sed` };
    }
    return { kind: "file", bytes: await readFile(path), mode: info.mode & 0o7777 };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return { kind: "missing" };
    if (hasCode(error, "EACCES", "EPERM")) return { kind: "refused", why: "the system denies access to it" };
    if (hasCode(error, "ENAMETOOLONG")) return { kind: "refused", why: "the name is too long" };
    throw error;
  }
}

/** The media type of an image that models can see, told by its first bytes. */
export function imageType(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))) return "image/png";
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return "image/jpeg";
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.endsWith("WEBP")) return "image/webp";
  return undefined;
}

/** True when the bytes are not text: a NUL among the first ones. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

/** The text of bytes that are valid UTF-8 (a byte order mark is kept), else undefined: writing it back would damage the file. */
export function strictText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
