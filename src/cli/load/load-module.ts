import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { FlowerError, messageOf } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import type { Translate } from "../../i18n/catalogue.ts";
import { clip } from "../../messages/event.ts";

let hooked = false;

/**
 * Loads what a user's module exports, TypeScript without a build step. `flower-agents` resolves to the folder's own copy, else to
 * this one. `target` is `file.ts` or `file.ts:export`; without a name the default export, else the only one. Throws `bad-input` with
 * one line for the person; `wanted` says in it what the export should be.
 */
export async function loadExport(target: string, wanted: string, t: Translate): Promise<unknown> {
  const { path, name } = splitTarget(target);
  if (!existsSync(path)) throw cannotUse(t("cli.load.noFile", { path }));
  const exports = await importFile(path, t);
  const names = Object.keys(exports);
  const all = names.join(", ") || "–";
  const chosen = name ?? (names.includes("default") ? "default" : names.length === 1 ? names[0] : undefined);
  if (chosen === undefined) {
    if (names.length === 0) throw cannotUse(t("cli.load.nothing", { path, wanted }));
    throw cannotUse(t("cli.load.several", { path, names: all, wanted, target }));
  }
  if (!Object.hasOwn(exports, chosen)) throw cannotUse(t("cli.load.noExport", { path, name: chosen, names: all }));
  return exports[chosen];
}

/** One line, whatever a file has thrown. */
export function cannotUse(message: string, cause?: unknown): FlowerError {
  return new FlowerError("bad-input", clip(message.replaceAll(/\s*\n\s*/g, " "), 500), { cause });
}

function splitTarget(target: string): { readonly path: string; readonly name: string | undefined } {
  const match = /^(.*\.[cm]?[jt]sx?):([A-Za-z_$][\w$]*)$/.exec(target);
  return { path: resolve(match?.[1] ?? target), name: match?.[2] };
}

/** A file in a folder without a package of its own may be read as either kind of module: both ways of resolving are covered. */
function lendOwnPackage(): void {
  if (hooked) return;
  hooked = true;
  module.register("#own-package", import.meta.url, { data: { own: import.meta.url } });
  const loader = module as unknown as CommonJsLoader; // Node's documented-by-use hook for require()
  const resolveFilename = loader._resolveFilename;
  const own = createRequire(import.meta.url);
  loader._resolveFilename = function (request, ...rest) {
    try {
      return resolveFilename.call(this, request, ...rest);
    } catch (error) {
      if (!/^flower-agents(\/|$)/.test(request)) throw error;
      return own.resolve(request);
    }
  };
}

interface CommonJsLoader {
  _resolveFilename(request: string, ...rest: readonly unknown[]): string;
}

async function importFile(path: string, t: Translate): Promise<Record<string, unknown>> {
  lendOwnPackage();
  const { tsImport } = await import("tsx/esm/api");
  try {
    const loaded = (await tsImport(pathToFileURL(path).href, import.meta.url)) as Record<string, unknown>;
    const inner = loaded["default"];
    return isRecord(inner) && inner["__esModule"] === true ? inner : loaded; // read as CommonJS
  } catch (error) {
    throw cannotUse(t("cli.load.failed", { path, reason: messageOf(error) }), error);
  }
}
