import { resolve } from "node:path";
import { type Language, type Translate, translator } from "../i18n/catalogue.ts";
import { type FoundRun, findRun, type RunPlace } from "../server/find-run.ts";
import { languageFrom } from "./report-failure.ts";
import { sanitize } from "./terminal/sanitize.ts";

/** What the commands take that act on the run of this folder. */
export interface PlaceOptions {
  readonly workspace: string;
  readonly runDir: string;
  readonly lang?: string;
  /** Print what came of it as one JSON object instead of text. */
  readonly json: boolean;
}

/** The run of this folder, and how to speak to the person about it. */
export interface RunSight {
  readonly place: RunPlace;
  readonly found: FoundRun | undefined;
  readonly language: Language;
  readonly t: Translate;
}

/** No start goes on with the runs of these workflows. */
const NOT_RESUMED = ["once"];

export async function lookForRun(options: PlaceOptions): Promise<RunSight> {
  const workspace = resolve(options.workspace);
  const place = { workspace, runDir: resolve(workspace, options.runDir), notResumed: NOT_RESUMED };
  const language = languageFrom(options.lang, process.env);
  return { place, found: await findRun(place), language, t: translator(language) };
}

/** What came of it, for the person or as JSON, on standard output; gives exit code 0. */
export function tell({ json }: PlaceOptions, text: string, data: object): number {
  process.stdout.write(`${json ? JSON.stringify(data) : sanitize(text)}\n`);
  return 0;
}

/** One text on standard error; gives exit code 1. */
export function refuse(text: string): number {
  process.stderr.write(`${sanitize(text)}\n`);
  return 1;
}

/** Why the run's process cannot be spoken to. */
export function whyNoRemote({ found, t }: RunSight): string {
  if (!found) return t("cli.control.noRun");
  return t(found.isAlive ? "cli.control.unreachable" : "cli.control.noneAlive", { run: found.run });
}
