import { resolve } from "node:path";
import { FlowerError } from "../../core/errors.ts";
import { HumanChannel } from "../../human/channel.ts";
import { type Language, toLanguage, translator } from "../../i18n/catalogue.ts";
import { Runtime } from "../../runtime/runtime.ts";
import { wakeState } from "../../workbench/lineage.ts";
import { Workbench } from "../../workbench/workbench.ts";
import { isWorkflow, type Workflow } from "../../workflow/workflow.ts";
import { drive } from "../drive.ts";
import { loadWorkflow, makeWorkflow } from "../load/load-workflow.ts";
import type { RunOptions } from "../program.ts";
import { languageFrom } from "../report-failure.ts";
import { runLimits } from "../run-limits.ts";
import { Screen } from "../screen.ts";
import { voiceFrom } from "../voice.ts";
import { questionTimeout, wantedTimeout } from "./go.ts";

/** Runs a workflow of the person's own, from a file. Gives the exit code. */
export async function run(target: string, request: string | undefined, options: RunOptions): Promise<number> {
  const { model } = options;
  const given = resolve(options.workspace);
  const language = await languageOf(given, options);
  const t = translator(language);
  const source = await loadWorkflow(target, t);
  const workspace = isWorkflow(source) ? workspaceOf(source, given, options.workspace) : given;
  const runDir = resolve(workspace, options.runDir);
  const screen = new Screen({ language, color: options.color, verbose: options.verbose, json: options.json });
  const workbench = (isWorkflow(source) && source.workbench) || new Workbench(workspace, { language });
  const own = isWorkflow(source) ? source.channel : undefined;
  if (own) refuseChannelOptions(target, options);
  const channel = own ?? openChannel(workbench, options);
  const made = await makeWorkflow(source, target, { workspace, runDir, language, request, channel, workbench, model }, t);
  if (made.channel !== undefined && made.channel !== channel) refuseChannelOptions(target, options);
  else if (!own) questionTimeout(options, screen); // says it when nobody is there
  const workflow = made.with({
    channel: made.channel ?? channel,
    workbench: made.workbench ?? workbench,
    ...(request === undefined ? {} : { request }),
    ...(options.new ? { fresh: true } : {}),
  });
  workflow.workbench?.ensure();
  const runtime = new Runtime({
    workspace,
    runDir,
    language,
    ...(await voiceOf(options)),
    workbench: workflow.workbench,
    ...runLimits(options, process.env),
  });
  return drive({ workflow, channel: workflow.channel ?? channel, runtime, screen });
}

/** A run goes on in its language: that of what was begun in this folder, when it is one. */
async function languageOf(workspace: string, options: RunOptions): Promise<Language> {
  const { workflows } = await wakeState(workspace, resolve(workspace, options.runDir));
  const [begun, ...others] = new Set(options.new ? [] : Object.values(workflows).map(({ language }) => language));
  return toLanguage(options.lang) ?? (others.length === 0 ? begun : undefined) ?? languageFrom(undefined, process.env);
}

/** A workflow with a workbench says itself where it works. */
function workspaceOf({ workbench }: Workflow, given: string, typed: string): string {
  if (!workbench || workbench.workspace === given || typed === ".") return workbench?.workspace ?? given;
  throw new FlowerError("bad-input", `The workflow works in ${workbench.workspace}, not in ${given}: leave --workspace out.`);
}

function openChannel(workbench: Workbench, options: RunOptions): HumanChannel {
  return new HumanChannel({
    maxAsks: options.asks === undefined || options.asks < 0 ? undefined : options.asks,
    timeoutMs: wantedTimeout(options) ?? 0,
    park: options.park,
    logPath: workbench.questionsPath(),
    amendPath: workbench.briefPath(),
    language: workbench.language,
  });
}

function refuseChannelOptions(target: string, { asks, park, timeout }: RunOptions): void {
  const given = Object.entries({ "--asks": asks, "--park": park || undefined, "--timeout": timeout });
  const [first] = given.find(([, value]) => value !== undefined) ?? [];
  if (first === undefined) return;
  const what = "export a function that takes the channel it is given, or set it there";
  throw new FlowerError("bad-input", `${first} has no effect: the workflow of ${target} has a channel of its own; ${what}.`);
}

/** The agents of a file may bring engines of their own: a provider must be there only when one is needed. */
async function voiceOf(options: RunOptions) {
  return options.backend === "native" && options.model === undefined ? {} : voiceFrom(options);
}
