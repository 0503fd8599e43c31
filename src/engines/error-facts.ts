import { isRecord, parseJson } from "../core/json.ts";

/** What can be read off a provider's failure, whatever shape it came in. */
export interface ErrorFacts {
  /** The HTTP status, when it says something went wrong. */
  readonly status?: number;
  /** Error codes and types, the provider's and the system's: `insufficient_quota`, `overloaded_error`, `ECONNREFUSED`. */
  readonly codes: readonly string[];
  /** The provider's own words, or the exception's. */
  readonly message: string;
  /** Everything that may tell what happened, for matching. */
  readonly text: string;
  /** Response headers, names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
}

const MAX_TEXT = 8000;
const MAX_DEPTH = 6;

/** Gathers the facts along the chain of causes: exceptions, error events of a stream, response bodies. */
export function factsOf(error: unknown): ErrorFacts {
  const chain = chainOf(error);
  // The provider's own words come before those of the exception around them, which may be just "Bad Request".
  const found = chain.flatMap((link) => [...bodiesOf(link), link]);
  const status = found.map(statusOf).find((value) => value !== undefined);
  const messages = found.map(wordsOf).filter((words) => words !== "");
  const codes = found.flatMap(codesOf);
  const bodies = found.map((link) => (typeof link["responseBody"] === "string" ? link["responseBody"] : ""));
  return {
    ...(status === undefined ? {} : { status }),
    codes,
    message: messages[0] ?? "",
    text: [...codes, ...messages, ...bodies].join("\n").slice(0, MAX_TEXT).toLowerCase(),
    headers: headersOf(found),
  };
}

/** The error and its causes; the details of an AggregateError (several addresses tried) count as causes. */
function chainOf(error: unknown): readonly Record<string, unknown>[] {
  const chain: Record<string, unknown>[] = [];
  const visit = (value: unknown, depth: number) => {
    if (depth > MAX_DEPTH) return;
    if (typeof value === "string") chain.push({ message: value });
    if (!isRecord(value) || chain.includes(value)) return;
    chain.push(value);
    visit(value["cause"], depth + 1);
    if (Array.isArray(value["errors"])) for (const inner of value["errors"]) visit(inner, depth + 1);
  };
  visit(error, 0);
  return chain;
}

/** The provider's error objects inside: parsed bodies, stream events, values that failed a schema. */
function bodiesOf(link: Record<string, unknown>): readonly Record<string, unknown>[] {
  const body = typeof link["responseBody"] === "string" ? parseJson(link["responseBody"]) : undefined;
  const candidates = [link["error"], link["data"], link["value"], Array.isArray(body) ? body[0] : body];
  const bodies = candidates.filter(isRecord);
  return [...bodies, ...bodies.map((inner) => inner["error"]).filter(isRecord)];
}

function statusOf(link: Record<string, unknown>): number | undefined {
  const status = link["statusCode"] ?? link["status"] ?? link["code"];
  return typeof status === "number" && status >= 400 && status < 600 ? status : undefined;
}

function wordsOf(link: Record<string, unknown>): string {
  return typeof link["message"] === "string" ? link["message"].trim() : "";
}

function codesOf(link: Record<string, unknown>): readonly string[] {
  return ["code", "type", "status", "name", "reason"].map((key) => link[key]).filter((value) => typeof value === "string");
}

function headersOf(found: readonly Record<string, unknown>[]): Readonly<Record<string, unknown>> {
  const headers = found.map((link) => link["responseHeaders"]).find(isRecord) ?? {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** When the provider said to come back, in milliseconds from now: `retry-after-ms`, `retry-after`, or Gemini's `retryDelay`. */
export function retryAfterMs(facts: ErrorFacts, now: number): number | undefined {
  const exact = Number(facts.headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const header = facts.headers["retry-after"];
  if (typeof header === "string" && header.trim() !== "") {
    const seconds = Number(header);
    if (Number.isFinite(seconds) && seconds >= 0) return Math.round(seconds * 1000);
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  const delay = /"retrydelay":\s*"([\d.]+)s"/.exec(facts.text);
  return delay ? Math.round(Number(delay[1]) * 1000) : undefined;
}
