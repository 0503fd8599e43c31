import { CommanderError } from "commander";
import { isFlowerError, messageOf } from "../core/errors.ts";
import { type Language, toLanguage, translator } from "../i18n/catalogue.ts";
import { sanitize } from "./terminal/sanitize.ts";

/** What the environment and the command line say of the language, before anything else is known. */
export function languageFrom(given: string | undefined, env: Readonly<Record<string, string | undefined>>): Language {
  return toLanguage(given) ?? toLanguage(env["FLOWER_LANG"]) ?? toLanguage(env["LC_ALL"] || env["LANG"]) ?? "en";
}

/** Says in one line (with `-v` in full) why nothing could be started; gives the exit code: 2 for wrong usage, else 1. */
export function reportFailure(error: unknown, argv: readonly string[], env: Readonly<Record<string, string | undefined>>): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has said it
  const verbose = argv.includes("-v") || argv.includes("--verbose");
  const t = translator(languageFrom(flagValue("--lang", argv), env));
  process.stderr.write(`${explain(error, t)}\n`);
  if (verbose && error instanceof Error) process.stderr.write(`${sanitize(error.stack ?? "")}\n`);
  return isFlowerError(error, "bad-input") ? 2 : 1;
}

function explain(error: unknown, t: ReturnType<typeof translator>): string {
  if (isFlowerError(error, "no-engine")) return t("cli.noEngine");
  if (isFlowerError(error, "run-busy")) {
    const { pid, runId } = error.details;
    return t("cli.runBusy", { pid: String(pid ?? "?"), run: String(runId ?? "?") });
  }
  return `flower: ${sanitize(messageOf(error))}`;
}

function flagValue(flag: string, argv: readonly string[]): string | undefined {
  const index = argv.indexOf(flag);
  return index >= 0 ? argv[index + 1] : argv.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
}
