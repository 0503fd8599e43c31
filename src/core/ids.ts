import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const POOL_SIZE = 8192;

let pool = Buffer.alloc(0);
let used = 0;

function randomByte(): number {
  if (used >= pool.length) {
    pool = randomBytes(POOL_SIZE);
    used = 0;
  }
  return pool[used++] as number;
}

/** `length` random letters and digits (62 symbols, unbiased). */
export function randomName(length: number): string {
  let name = "";
  while (name.length < length) {
    const byte = randomByte();
    if (byte < 248) name += ALPHABET[byte % 62];
  }
  return name;
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
