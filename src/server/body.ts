import type { Context } from "hono";
import { isRecord, parseJson } from "../core/json.ts";
import { Problem } from "./problem.ts";

/** In bytes. Enough for every pasted text, too little to fill the memory. */
export const MAX_BODY_BYTES = 262_144;

/**
 * One text of a JSON body, "" when it is not given. Throws a {@link Problem} for anything else. That the content type must be
 * JSON keeps other sites' forms out.
 */
export async function readText(c: Context, field: string): Promise<string> {
  const raw = await c.req.text();
  if (raw === "") return "";
  if (!/^application\/json\b/i.test(c.req.header("content-type") ?? ""))
    throw new Problem(415, "bad-input", "Send JSON, with content-type: application/json.");
  const body = parseJson(raw);
  if (!isRecord(body)) throw new Problem(400, "bad-input", "The body must be a JSON object.");
  const value = body[field] ?? "";
  if (typeof value !== "string") throw new Problem(400, "bad-input", `"${field}" must be a text.`);
  return value;
}

/** Like {@link readText}, for a text that must say something. */
export async function requireText(c: Context, field: string): Promise<string> {
  const text = await readText(c, field);
  if (text.trim() === "") throw new Problem(400, "bad-input", `"${field}" must not be empty.`);
  return text;
}
