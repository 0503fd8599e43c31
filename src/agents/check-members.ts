import { shown } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";

/** Throws `bad-config`, naming the owner, for what is no engine. */
export function checkEngine(owner: string, engine: unknown): void {
  if (engine === undefined) return;
  if (isRecord(engine) && typeof engine["stream"] === "function" && typeof engine["withModel"] === "function") return;
  throw new FlowerError("bad-config", `${owner}: engine must be an engine, e.g. openai("gpt-4o"), not ${shown(engine)}.`);
}

/** Throws `bad-config`, naming the owner, for a guard that guards nothing: nobody would notice. */
export function checkGuards(owner: string, guards: readonly unknown[] | undefined): void {
  for (const guard of guards ?? []) {
    if (isRecord(guard) && isGuard(guard["before"], guard["after"])) continue;
    throw new FlowerError(
      "bad-config",
      `${owner}: a guard must be an object with a function before, or after, or both, not ${shown(guard)}.`,
    );
  }
}

function isGuard(...checks: readonly unknown[]): boolean {
  const given = checks.filter((check) => check !== undefined);
  return given.length > 0 && given.every((check) => typeof check === "function");
}
