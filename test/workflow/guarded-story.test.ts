import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import type { Language } from "../../src/i18n/catalogue.ts";
import { parseGoal } from "../../src/workbench/goal-document.ts";
import { type StarterOptions, starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { brief, goal, handIn, verdict } from "./lines.ts";
import { type Cast, openStage, type Stage } from "./stage.ts";

/** The same job in each language: a converter, three checks, and the words that the guard says. */
interface Story {
  readonly language: Language;
  readonly steps: readonly [clarify: string, goal: string, work: string];
  readonly goalPath: string;
  readonly statement: string;
  readonly checks: readonly [string, string, string];
  /** The whole goal file. */
  readonly file: string;
  readonly labels: readonly string[];
  readonly noConclusion: string;
  readonly impossible: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly alone: string;
}

const STORIES: readonly Story[] = [
  {
    language: "zh",
    steps: ["确认需求", "设定目标", "干活"],
    goalPath: ".flower/notes/目标.md",
    statement: "让 conv.py 能把 md 转成 html。",
    checks: ["跑 `python conv.py a.md` 产出 a.html", "输出里含 `<h1>`", "列表被转成 `<ul><li>`"],
    file: "# 目标\n让 conv.py 能把 md 转成 html。\n\n# 判定清单\n- 跑 `python conv.py a.md` 产出 a.html\n- 输出里含 `<h1>`\n- 列表被转成 `<ul><li>`\n",
    labels: ["干活", "干活·判定#1", "干活#round2", "干活·判定#2"],
    noConclusion: "判定者没给出明确结论,按未达成处理",
    impossible: "缺少 X 依赖,判定项 2 无法验证",
    question: "目标被判为**无法达成**:缺少 X 依赖,判定项 2 无法验证\n怎么办?",
    options: ["接受这个结果,就这样往下走", "修改目标", "你判断错了,继续做"],
    alone: "目标被判为无法达成,而且没有人可以决定:缺少 X 依赖,判定项 2 无法验证",
  },
  {
    language: "en",
    steps: ["clarify", "goal", "work"],
    goalPath: ".flower/notes/goal.md",
    statement: "conv.py can turn md into html.",
    checks: ["`python conv.py a.md` makes a.html", "The output has `<h1>`", "Lists become `<ul><li>`"],
    file: "# Goal\nconv.py can turn md into html.\n\n# Checklist\n- `python conv.py a.md` makes a.html\n- The output has `<h1>`\n- Lists become `<ul><li>`\n",
    labels: ["work", "work·judge#1", "work#round2", "work·judge#2"],
    noConclusion: "The judge gave no clear conclusion; treated as not yet reached.",
    impossible: "X is missing, check 2 cannot be verified",
    question: "The goal was judged **unreachable**: X is missing, check 2 cannot be verified\nWhat now?",
    options: ["Accept this result and go on", "Change the goal", "You judged wrongly, go on working"],
    alone: "The goal was judged unreachable and nobody was there to decide: X is missing, check 2 cannot be verified",
  },
  {
    language: "pt",
    steps: ["esclarecer", "objetivo", "trabalho"],
    goalPath: ".flower/notes/objetivo.md",
    statement: "conv.py converte md em html.",
    checks: ["`python conv.py a.md` gera a.html", "A saída contém `<h1>`", "Listas viram `<ul><li>`"],
    file: "# Objetivo\nconv.py converte md em html.\n\n# Lista de verificação\n- `python conv.py a.md` gera a.html\n- A saída contém `<h1>`\n- Listas viram `<ul><li>`\n",
    labels: ["trabalho", "trabalho·juiz#1", "trabalho#round2", "trabalho·juiz#2"],
    noConclusion: "O juiz não deu uma conclusão clara; tratado como não atingido.",
    impossible: "falta X, o item 2 não pode ser verificado",
    question: "O objetivo foi julgado **inalcançável**: falta X, o item 2 não pode ser verificado\nO que fazer?",
    options: ["Aceitar este resultado e seguir adiante", "Alterar o objetivo", "Você julgou errado, continue trabalhando"],
    alone: "O objetivo foi julgado inalcançável e não havia ninguém para decidir: falta X, o item 2 não pode ser verificado",
  },
];

type Lines = Pick<Cast, "worker" | "judge">;

/** Runs the whole chain of a story with nobody there, up to what its worker and its judge do. */
async function tell({ language, statement, checks }: Story, lines: Lines, options: StarterOptions = {}) {
  const workspace = newFolder();
  const flow = starterFlow("md → html", { workspace, language, timeoutMs: 0, ...options });
  const setter = goal(
    checks.map((text) => ({ text })),
    statement,
  );
  const stage = openStage(
    { clarifier: handIn(brief()), goalSetter: handIn(setter), ...lines },
    { workbench: flow.workbench, language },
    workspace,
  );
  const ctx = await stage.run(flow);
  return { workspace, flow, stage, ctx };
}

/** A worker that writes a file in each round: a round that changes nothing would be asked about. */
function rounds(stage: () => Stage, count: number): readonly ScriptedStep[] {
  return Array.from({ length: count }, (_, index) => async () => {
    await writeFile(join(stage().folder, "conv.py"), `# ${index}\n`);
    return `report ${index + 1}`;
  });
}

const notYet = handIn(verdict(["passed", "failed", "passed"]));
const achieved = handIn(verdict(["passed", "passed", "passed"]));

describe.each(STORIES)("in $language", (story) => {
  const [clarify, setGoal, work] = story.steps;

  test("the goal is frozen as this file, which reads back the same, and stands in ctx with the verdict and the rounds", async () => {
    const { workspace, flow, ctx } = await tell(story, { worker: ["report"], judge: achieved });
    expect(flow.steps.map((step) => step.name)).toEqual(story.steps);
    const text = await readFile(join(workspace, story.goalPath), "utf8");
    expect(text).toBe(story.file);
    const read = parseGoal(text);
    expect(read).toMatchObject({ statement: story.statement, complete: true, unverifiable: [], problems: [] });
    expect(read.checks).toEqual(story.checks.map((check) => ({ text: check })));
    expect(ctx[setGoal]).toBe(story.file);
    expect(ctx["_goal"]).toMatchObject({ statement: story.statement, checks: read.checks });
    expect(ctx["_verdict"]).toMatchObject({ state: "achieved", ok: true });
    expect([ctx["_goal_rounds"], ctx["_failed_at"], ctx["_aborted"]]).toEqual([1, undefined, undefined]);
  });

  test("not yet: the gap goes back into the same session, the judge's are fresh, and the manifest shows which round was which", async () => {
    const told: Awaited<ReturnType<typeof tell>> = await tell(story, { worker: ["report 1", "report 2"], judge: [...notYet, ...achieved] });
    const { stage, ctx } = told;
    const rows = (await stage.manifest()).slice(2);
    expect(rows.map((row) => row.step)).toEqual(story.labels);
    const [first, judge, second, again] = rows.map((row) => row.sessionId);
    expect(second).toBe(first);
    expect(new Set([first, judge, again]).size).toBe(3);
    expect(stage.prompt("worker", 1)).toContain(`- ${story.checks[1]}\n  failed: greeting.txt: line 2`);
    expect(stage.prompt("worker", 1)).not.toContain(`- ${story.checks[0]}\n`);
    expect(Object.keys((await stage.lineage())["go"]?.steps ?? {})).toEqual([clarify, setGoal, work]);
    expect([ctx["_goal_rounds"], ctx[work]]).toEqual([2, "report 2"]);
    expect(stage.requests("goalSetter")).toHaveLength(2); // set once; nobody spoke, so nothing was amended
  });

  test("a judge that says nothing clear: not yet, with this reason, for the worker too", async () => {
    const { stage, ctx } = await tell(story, { worker: ["report 1", "report 2"], judge: ["fine", "looks fine", ...achieved] });
    expect(stage.tasks("verdict")[0]).toMatchObject({
      text: story.noConclusion,
      payload: { round: 1, state: "", reason: story.noConclusion },
    });
    expect(stage.prompt("worker", 1)).toContain(story.noConclusion);
    expect(ctx["_verdict"]).toMatchObject({ ok: true });
  });

  test("unreachable: this is asked, with these answers; with nobody there the run stops, and goal, manifest and the question are kept", async () => {
    const judge = handIn(verdict(["passed", "failed", "passed"], { impossible: story.impossible }));
    const { workspace, stage, ctx, flow } = await tell(story, { worker: ["report 1"], judge });
    const [ask] = stage.of("ask");
    expect(ask?.text).toBe(story.question);
    expect(ask?.payload).toMatchObject({ options: story.options, purpose: "goal", path: [work], state: "timeout" });
    expect([ctx["_failed_at"], ctx["_aborted"]]).toEqual([work, story.alone]);
    expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "failed", exitCode: 1, failedAt: work, reason: story.alone });
    expect(await readFile(join(workspace, story.goalPath), "utf8")).toBe(story.file);
    expect(existsSync(join(workspace, "runs/manifest.json"))).toBe(true);
    expect(await readFile(flow.workbench.questionsPath(), "utf8")).toContain(story.options[0]);
  });
});

test.each([
  [1, 1],
  [2, 2],
  [undefined, 3],
])("rounds: %s means at most %i of work, each judged", async (given, count) => {
  const zh = STORIES[0] as Story;
  let stage: Stage | undefined;
  const judge = Array.from({ length: count }, () => notYet).flat();
  const worker = rounds(() => stage as Stage, count);
  const workspace = newFolder();
  const flow = starterFlow("md → html", { workspace, language: zh.language, timeoutMs: 0, rounds: given });
  await writeFile(join(workspace, zh.goalPath), zh.file);
  stage = openStage({ clarifier: handIn(brief()), worker, judge }, { workbench: flow.workbench, language: zh.language }, workspace);
  const ctx = await stage.run(flow);
  expect([ctx["_goal_rounds"], ctx["_failed_at"]]).toEqual([count, "干活"]);
  expect(stage.requests("goalSetter")).toEqual([]); // the file was there: not set again
});
