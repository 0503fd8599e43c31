import { type ErrorCode, FlowerError } from "./errors.ts";
import { isRecord } from "./json.ts";

/**
 * What an option may hold at run time: a number of things (whole, ≥ 0), milliseconds (> 0), an amount (≥ 0), each also Infinity;
 * a text, true or false, a list, an object, a function; one of some words; or whatever its owner checks.
 */
export type OptionKind = keyof typeof FORMS | "any" | readonly string[];

/** Every option's kind: an option that is added to `T` and not here does not compile. */
export type OptionKinds<T> = { readonly [K in keyof T]-?: OptionKind };

interface Form {
  readonly words: string;
  readonly ok: (value: unknown) => boolean;
}

const FORMS = {
  count: {
    words: "a whole number ≥ 0",
    ok: (value) => typeof value === "number" && value >= 0 && (Number.isInteger(value) || value === Infinity),
  },
  ms: { words: "a number of milliseconds > 0", ok: (value) => typeof value === "number" && value > 0 },
  amount: { words: "a number ≥ 0", ok: (value) => typeof value === "number" && value >= 0 },
  text: { words: "a text", ok: (value) => typeof value === "string" },
  flag: { words: "true or false", ok: (value) => typeof value === "boolean" },
  list: { words: "a list", ok: (value) => Array.isArray(value) },
  record: { words: "an object", ok: isRecord },
  function: { words: "a function", ok: (value) => typeof value === "function" },
} as const satisfies Readonly<Record<string, Form>>;

/**
 * Throws, naming owner and option, for an option that is unknown or cannot hold its value: `bad-config`, or `bad-input` for what is
 * passed with one call.
 */
export function checkOptions<T extends object>(
  owner: string,
  options: T,
  kinds: OptionKinds<T>,
  code: ErrorCode & `bad-${string}` = "bad-config",
): void {
  if (!isRecord(options)) throw new FlowerError(code, `${owner}: the options must be an object, not ${shown(options)}.`);
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(kinds, name)) {
      throw new FlowerError(code, `${owner}: there is no option "${name}". Known: ${Object.keys(kinds).join(", ")}.`);
    }
    const problem = problemOf(options[name], kinds[name as keyof T]);
    if (problem !== undefined) throw new FlowerError(code, `${owner}: ${name} ${problem}`);
  }
}

function problemOf(value: unknown, kind: OptionKind): string | undefined {
  if (value === undefined || kind === "any") return undefined;
  if (typeof kind !== "string") {
    return kind.includes(value as string) ? undefined : `must be one of ${kind.join(", ")}, not ${shown(value)}.`;
  }
  const { words, ok }: Form = FORMS[kind];
  return ok(value) ? undefined : `must be ${words}, not ${shown(value)}.`;
}

/** A value as it stands in an error about it: of an object only that it is one, for it may hold anything. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : String(value);
}

const TYPE_WORDS: readonly unknown[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** Throws `bad-config` when a JSON Schema's own `type` is no word of JSON Schema: it would refuse every value. */
export function checkSchemaType(owner: string, json: { readonly type?: unknown }): void {
  const { type } = json;
  const unknown = (Array.isArray(type) ? type : [type]).find((word) => word !== undefined && !TYPE_WORDS.includes(word));
  if (unknown === undefined) return;
  throw new FlowerError("bad-config", `${owner}: "${String(unknown)}" is no type of JSON Schema. Known: ${TYPE_WORDS.join(", ")}.`);
}
