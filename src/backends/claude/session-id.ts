import { createHash } from "node:crypto";

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The id under which the CLI keeps a session of ours: always the same UUID for the same id; a UUID stands for itself. */
export function toUuid(sessionId: string): string {
  if (UUID.test(sessionId)) return sessionId.toLowerCase();
  const bytes = createHash("sha1").update(`flower-agents session ${sessionId}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50; // version 5: made from a name
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
