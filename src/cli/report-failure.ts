import { CommanderError } from "commander";
import { isFlowerError, messageOf } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
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
  return `flower: ${sanitize(fileTrouble(error, t) ?? messageOf(error))}`;
}

const FILE_TROUBLE = {
  ENOENT: "cli.file.ENOENT",
  ENOTDIR: "cli.file.ENOTDIR",
  EISDIR: "cli.file.EISDIR",
  EEXIST: "cli.file.EEXIST",
  EACCES: "cli.file.EACCES",
  EROFS: "cli.file.EACCES",
  ENOSPC: "cli.file.ENOSPC",
} as const;

/** What the system says of a file, in words: which one, and what is wrong with it. */
function fileTrouble(error: unknown, t: ReturnType<typeof translator>): string | undefined {
  if (!isRecord(error) || typeof error["code"] !== "string" || !Object.hasOwn(FILE_TROUBLE, error["code"])) return undefined;
  const path = typeof error["path"] === "string" ? error["path"] : "?";
  return t(FILE_TROUBLE[error["code"] as keyof typeof FILE_TROUBLE], { path });
}

function flagValue(flag: string, argv: readonly string[]): string | undefined {
  const index = argv.indexOf(flag);
  return index >= 0 ? argv[index + 1] : argv.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
}
