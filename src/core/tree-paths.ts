import { isUtf8 } from "node:buffer";
import { hasCode } from "./files.ts";

/**
 * Paths of files as the system has them. A name is a row of bytes, which need not be text: who lists a tree that others made, and
 * opens what it found, must keep them.
 */
export function joinBytes(folder: Buffer, name: Buffer): Buffer {
  return folder.length === 0 ? name : Buffer.concat([folder, Buffer.from("/"), name]);
}

/** A path as text. Bytes that are no UTF-8 are written as bash would read them: `$'caf\xe9.txt'`. */
export function showBytes(path: Buffer): string {
  return isUtf8(path) ? path.toString() : `$'${[...path].map(showByte).join("")}'`;
}

function showByte(byte: number): string {
  const char = String.fromCharCode(byte);
  if (char === "'" || char === "\\") return `\\${char}`;
  return byte >= 0x20 && byte < 0x7f ? char : `\\x${byte.toString(16).padStart(2, "0")}`;
}

const GONE_OR_DENIED = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "ESTALE"];
const UNREADABLE = ["EINVAL", "EILSEQ", "ENXIO", "ENODEV", "EIO", "EBUSY", "ETXTBSY", "EOPNOTSUPP", "ENOTSUP"];

/** True when the failure is one of a single entry of a tree: it has gone or changed meanwhile, may not be read, or lies too deep. */
export function isOutOfReach(error: unknown): boolean {
  return hasCode(error, ...GONE_OR_DENIED, ...UNREADABLE);
}
