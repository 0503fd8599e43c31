import { runInNewContext } from "node:vm";
import { isRecord } from "../core/json.ts";
import { toPattern } from "../workbench/pattern.ts";

const LIMIT_MS = 1_000;

/**
 * Whether a pattern (`/source/flags` or a bare source) is found in a text; "too long" when that is not known after a second. A
 * pattern like `/^(a+)+$/` can take years, and nothing else in the process would go on meanwhile.
 */
export function matchInTime(pattern: string, text: string, limitMs = LIMIT_MS): boolean | "too long" {
  const known = toPattern(pattern);
  if (!known) return false;
  const given = Object.assign(Object.create(null), { source: known.source, flags: known.flags, text });
  try {
    return runInNewContext("new RegExp(source, flags).test(text)", given, { timeout: limitMs }) === true;
  } catch (error) {
    // The error comes out of the other context: it is no instance of this one's Error. What else fails (a pattern too large) is no match.
    return isRecord(error) && error["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? "too long" : false;
  }
}
