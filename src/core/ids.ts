import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const POOL_SIZE = 2048;

/** Random letters and digits in store: many ids are cut from one draw. */
let pool = "";
let used = 0;

/** `length` random letters and digits (62 symbols, unbiased). */
export function randomName(length: number): string {
  while (pool.length - used < length) {
    pool = pool.slice(used) + draw();
    used = 0;
  }
  used += length;
  return pool.slice(used - length, used);
}

function draw(): string {
  const bytes = randomBytes(POOL_SIZE);
  let length = 0;
  for (const byte of bytes) if (byte < 248) bytes[length++] = ALPHABET.charCodeAt(byte % 62);
  return bytes.toString("latin1", 0, length);
}

/** A message or turn id: 16 letters and digits. */
export function newId(): string {
  return randomName(16);
}

/** A tool call id: exactly 9 letters and digits, the form that every provider accepts (the narrowest, Mistral's, demands it). */
export function newCallId(): string {
  return randomName(9);
}

/** `YYYYmmdd-HHMMSS-6hex` in UTC: sorts by time, readable in a folder listing. */
export function newRunId(now: number): string {
  const iso = new Date(now).toISOString();
  const stamp = iso.slice(0, 10).replaceAll("-", "") + "-" + iso.slice(11, 19).replaceAll(":", "");
  return `${stamp}-${randomBytes(3).toString("hex")}`;
}
