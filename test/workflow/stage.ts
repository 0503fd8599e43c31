import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import type { RecordedRequest, Script, ScriptedAnswer, ScriptedStep } from "../../src/engines/scripted.ts";
import type { EventOf, TaskPayload } from "../../src/messages/event.ts";
import { textOf } from "../../src/messages/message.ts";
import type { RuntimeOptions } from "../../src/runtime/runtime.ts";
import type { Lineage } from "../../src/workbench/lineage.ts";
import type { Ctx } from "../../src/workflow/ctx.ts";
import type { Workflow, WorkflowRunOptions } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { type Bench, openBench } from "../runtime/bench.ts";

export type Role = "clarifier" | "goalSetter" | "judge" | "worker";
/** What each role says, in order. */
export type Cast = { readonly [R in Role]?: readonly ScriptedStep[] };

/** A bench on which workflows run, with a model that plays several roles. */
export interface Stage extends Bench {
  run(workflow: Workflow, options?: WorkflowRunOptions): Promise<Ctx>;
  /** What a role was asked, call by call. */
  requests(role: Role): readonly RecordedRequest[];
  /** What the newest user message of a role's call says. */
  prompt(role: Role, call: number): string;
  tasks<T extends TaskPayload["type"]>(type: T): readonly (EventOf<"task"> & { payload: Extract<TaskPayload, { type: T }> })[];
  lineage(): Promise<Readonly<Record<string, Lineage>>>;
  /** Another process in the same folder. */
  again(script: Cast | Script): Stage;
}

export function openStage(script: Cast | Script, options: RuntimeOptions = {}, folder = newFolder()): Stage {
  const bench = openBench(isCast(script) ? play(script) : script, { clock: systemClock, ...options }, folder);
  const requests = (role: Role) => bench.engine.requests.filter((request) => roleOf(request) === role);
  return {
    ...bench,
    run: (workflow, more) => workflow.run(bench.runtime, { onEvent: bench.note, ...more }),
    requests,
    prompt: (role, call) => textOf(requests(role)[call]!.messages.findLast((message) => message.role === "user")!),
    tasks: (type) => bench.of("task").filter((event): event is never => event.payload.type === type),
    lineage: async () => JSON.parse(await readFile(join(bench.runtime.runDir, "lineage.json"), "utf8")).workflows,
    again: (next) => openStage(next, options, folder),
  };
}

function isCast(script: Cast | Script): script is Cast {
  return !Array.isArray(script) && typeof script !== "function";
}

/** The role is told by the tool by which it decides. */
export function roleOf(request: RecordedRequest): Role {
  const names = request.tools.map((tool) => tool.name);
  if (names.includes("brief")) return "clarifier";
  if (names.includes("goal")) return "goalSetter";
  return names.includes("verdict") ? "judge" : "worker";
}

function play(cast: Cast): Script {
  const next: Record<Role, number> = { clarifier: 0, goalSetter: 0, judge: 0, worker: 0 };
  return (request): ScriptedAnswer | Promise<ScriptedAnswer> => {
    const role = roleOf(request);
    const step = cast[role]?.[next[role]++];
    if (step === undefined) throw new Error(`The ${role} was called ${next[role]} times.`);
    return typeof step === "function" ? step(request) : step;
  };
}
