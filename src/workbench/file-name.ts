import { createHash } from "node:crypto";

/** In characters: three bytes each still fit the 255 that a file name may have. */
const LONGEST = 60;

/** A name that a person gave (a step, a workflow) as part of a file name. Safe on every system; two names never share a file. */
export function toFileName(name: string): string {
  const safe = [...name.normalize("NFC").replace(/[/\\:*?"<>|\p{Cc}\p{Cs}]/gu, "-")].slice(0, LONGEST).join("");
  return safe === name && !/^\.|[. ]$/.test(name) ? name : `${safe.replace(/^\.+|[. ]+$/g, "")}-${hash(name)}`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 6);
}
