import { FlowerError } from "./errors.ts";
import { isRecord } from "./json.ts";

/**
 * What an option may hold at run time: a number of things (whole, ≥ 0), milliseconds (> 0), an amount (≥ 0), each also Infinity;
 * one of some words; or whatever its owner checks.
 */
export type OptionKind = "count" | "ms" | "amount" | "any" | readonly string[];

/** Every option's kind: an option that is added to `T` and not here does not compile. */
export type OptionKinds<T> = { readonly [K in keyof T]-?: OptionKind };

const NUMBERS = {
  count: { words: "a whole number ≥ 0", ok: (value: number) => value >= 0 && (Number.isInteger(value) || value === Infinity) },
  ms: { words: "a number of milliseconds > 0", ok: (value: number) => value > 0 },
  amount: { words: "a number ≥ 0", ok: (value: number) => value >= 0 },
} as const;

/** Throws `bad-config`, naming owner and option, for an option that is unknown or cannot hold its value. */
export function checkOptions<T extends object>(owner: string, options: T, kinds: OptionKinds<T>): void {
  if (!isRecord(options)) throw new FlowerError("bad-config", `${owner}: the options must be an object, not ${String(options)}.`);
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(kinds, name)) {
      throw new FlowerError("bad-config", `${owner}: there is no option "${name}". Known: ${Object.keys(kinds).join(", ")}.`);
    }
    checkOption(owner, name, options[name], kinds[name as keyof T]);
  }
}

function checkOption(owner: string, name: string, value: unknown, kind: OptionKind): void {
  if (value === undefined || kind === "any") return;
  if (typeof kind !== "string") {
    if (kind.includes(value as string)) return;
    throw new FlowerError("bad-config", `${owner}: ${name} must be one of ${kind.join(", ")}, not ${String(value)}.`);
  }
  const { words, ok } = NUMBERS[kind];
  if (typeof value === "number" && ok(value)) return;
  throw new FlowerError("bad-config", `${owner}: ${name} must be ${words}, not ${String(value)}.`);
}

const TYPE_WORDS: readonly unknown[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** Throws `bad-config` when a JSON Schema's own `type` is no word of JSON Schema: it would refuse every value. */
export function checkSchemaType(owner: string, json: { readonly type?: unknown }): void {
  const { type } = json;
  const unknown = (Array.isArray(type) ? type : [type]).find((word) => word !== undefined && !TYPE_WORDS.includes(word));
  if (unknown === undefined) return;
  throw new FlowerError("bad-config", `${owner}: "${String(unknown)}" is no type of JSON Schema. Known: ${TYPE_WORDS.join(", ")}.`);
}
