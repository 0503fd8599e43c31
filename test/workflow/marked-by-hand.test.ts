import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { HumanChannel } from "../../src/human/channel.ts";
import type { Language } from "../../src/i18n/catalogue.ts";
import type { StepResult } from "../../src/runtime/step-result.ts";
import { failedAt, goalOf } from "../../src/workflow/ctx.ts";
import { Step } from "../../src/workflow/step.ts";
import { withGoal } from "../../src/workflow/with-goal.ts";
import { worker } from "../runtime/bench.ts";
import { goalFile, handIn, verdict } from "./lines.ts";
import { openWork, reports } from "./work.ts";

const believing = handIn(verdict(["passed", "passed"], { reason: "OK." }));

test.each<[Language, string, string]>([
  ["zh", "# 目标\n界面可用。\n\n# 判定清单\n- 能启动\n- 界面截图并实际看图 [此环境无法验证:屏幕录制未授权]\n", "接受这个结果,就这样往下走"],
  [
    "en",
    "# Goal\nIt can be used.\n\n# Checklist\n- it starts\n- it looks right [cannot be verified here: no screen]\n",
    "Accept this result and go on",
  ],
  [
    "pt",
    "# Objetivo\nDá para usar.\n\n# Lista de verificação\n- inicia\n- a tela está certa [não verificável neste ambiente: sem tela]\n",
    "Aceitar este resultado e seguir adiante",
  ],
])(
  "an item that a person marked in the file cannot be passed by a judge who says so: the person is asked (%s)",
  async (language, file, accept) => {
    const work = await openWork({ worker: reports(1), judge: believing }, { language, answers: [accept] });
    await writeFile(work.goalPath, file);
    const ctx = await work.run();
    const [marked] = goalOf(ctx)?.unverifiable ?? [];
    expect(goalOf(ctx)?.unverifiable).toHaveLength(1);
    expect(work.questions[0]?.text).toContain(`OK.\n${marked?.text}: ${marked?.unverifiableReason}`);
    expect(work.stage.tasks("verdict")[0]?.payload).toMatchObject({
      state: "unreachable",
      checks: [{ state: "passed" }, { state: "unverifiable" }],
    });
    expect(failedAt(ctx)).toBeUndefined();
    expect(await readFile(work.goalPath, "utf8")).toBe(file);
  },
);

test("an edit of the goal file while the question waits counts in the round that follows", async () => {
  const unreachable = handIn(verdict(["passed", "failed"], { impossible: "no screen" }));
  const work = await openWork(
    { worker: reports(2), judge: [...unreachable, ...handIn(verdict(["passed"]))] },
    { checks: ["it starts", "it looks right"], answers: [], rounds: 1 },
  );
  work.channel.onEvent = (event) => {
    if (event.kind !== "ask" || event.payload.state !== "asked") return;
    const { id } = event.payload;
    void writeFile(work.goalPath, goalFile("it starts")).then(() => work.channel.answer(id, "Look at the list again"));
  };
  const ctx = await work.run();
  expect(work.stage.prompt("judge", 2)).toMatch(/1\. it starts\n\n/);
  expect([failedAt(ctx), goalOf(ctx)?.checks.length]).toEqual([undefined, 1]);
  expect(work.stage.tasks("notice")).toEqual([]);
});

test("outside a workflow that runs, where no judge can be had, the gate stops the work: it never pretends a pass", async () => {
  const step = withGoal(new Step("work", { agent: worker(), prompt: "go" }), new HumanChannel(), { goalPath: "goal.md" });
  const asking = async () => step.options.gate?.({ text: "done" } as StepResult, {});
  await expect(asking()).rejects.toMatchObject({
    name: "StepAbort",
    code: "step-aborted",
    message: expect.stringContaining("judge cannot run"),
  });
});
