import { isRecord } from "../../../src/core/json.ts";

/** Any JSON object, with fields that are looked at before they are known to be there. */
export type Body = Readonly<Record<string, unknown>>;

/** Collects the ways in which a request body breaks a provider's published rules. */
export class Rules {
  readonly broken: string[] = [];

  /** Notes the rule, with where, unless it is kept. */
  must(kept: unknown, where: string, rule: string): void {
    if (!kept) this.broken.push(`${where}: ${rule}`);
  }
}

export function list(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function record(value: unknown): Body {
  return isRecord(value) ? value : {};
}

/** A text that providers take: one with something to read in it. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

export function isJsonObjectText(value: unknown): boolean {
  try {
    return typeof value === "string" && isRecord(JSON.parse(value));
  } catch {
    return false;
  }
}

/** A tool name that OpenAI takes, whose pattern is the strictest. */
export function isToolName(name: unknown): boolean {
  return typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

export function areUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** A reply as the servers of this folder give it. */
export interface Said {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args?: unknown }[];
}
