import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readText } from "../../core/files.ts";
import { LANGUAGES, type Language, toLanguage } from "../../i18n/catalogue.ts";
import { Runtime } from "../../runtime/runtime.ts";
import { parseBrief } from "../../workbench/brief.ts";
import { wakeState } from "../../workbench/lineage.ts";
import { Workbench } from "../../workbench/workbench.ts";
import { nothingToGoOnWith } from "../../workflow/chain.ts";
import { starterFlow } from "../../workflow/starter.ts";
import { drive } from "../drive.ts";
import { openMcp } from "../mcp.ts";
import type { GlobalOptions, GoOptions } from "../program.ts";
import { languageFrom } from "../report-failure.ts";
import { runLimits } from "../run-limits.ts";
import { Screen } from "../screen.ts";
import { voiceFrom } from "../voice.ts";

/** The whole chain: clarify → goal → work, judged every round. Gives the exit code. */
export async function go(request: string | undefined, options: GoOptions): Promise<number> {
  const workspace = resolve(options.workspace);
  const runDir = resolve(workspace, options.runDir);
  const begun = options.new ? undefined : (await wakeState(workspace, runDir)).workflows["go"];
  const wanted = toLanguage(options.lang);
  const found = begun || options.new ? undefined : await briefLanguage(workspace, wanted);
  if (!begun && !found && request === undefined) throw nothingToGoOnWith();
  const language = wanted ?? begun?.language ?? found ?? languageFrom(undefined, process.env); // a run goes on in its language
  const { engine, backend, model } = await voiceFrom(options);
  const screen = new Screen({ language, color: options.color, verbose: options.verbose, json: options.json });
  await using mcp = await openMcp(options.mcp, language);
  const workflow = starterFlow(request, {
    workspace,
    language,
    engine,
    model,
    clarifyOnly: options.clarifyOnly,
    goal: options.goal,
    rounds: options.rounds,
    coordinate: options.coordinate,
    tools: mcp.tools,
    judgeCanRun: options.judgeCanRun,
    runChecks: options.runChecks,
    maxAsks: options.asks < 0 ? undefined : options.asks,
    timeoutMs: questionTimeout(options, screen),
    park: options.park,
    fresh: options.new,
  });
  const runtime = new Runtime({
    workspace,
    runDir,
    language,
    engine,
    backend,
    workbench: workflow.workbench,
    ...runLimits(options, process.env),
  });
  mcp.attach(workflow.channel, runtime.signal);
  return await drive({ workflow, channel: workflow.channel, runtime, screen, notices: mcp.notices });
}

/** In which language a whole brief lies here; the person's own is looked for first. */
async function briefLanguage(workspace: string, wanted: Language | undefined): Promise<Language | undefined> {
  if (!existsSync(workspace)) return undefined;
  const workbench = new Workbench(workspace);
  for (const language of wanted ? [wanted] : [languageFrom(undefined, process.env), ...LANGUAGES]) {
    if (parseBrief((await readText(workbench.briefPath(language))) ?? "").complete) return language;
  }
  return undefined;
}

const TERMINAL_TIMEOUT_MS = 1_800_000;

/** How long questions wait, in milliseconds. With nobody at a terminal and no word about it: not at all, said once. */
export function questionTimeout(options: GlobalOptions, screen: Screen): number {
  const ms = wantedTimeout(options);
  if (ms === undefined) process.stderr.write(`${screen.t("cli.unattended")}\n`);
  return ms ?? 0;
}

/** Undefined with nobody at a terminal and no word about it. */
export function wantedTimeout({ timeout, json }: GlobalOptions): number | undefined {
  if (timeout !== undefined) return timeout * 1000;
  return process.stdin.isTTY && !json ? TERMINAL_TIMEOUT_MS : undefined;
}
