import { join } from "node:path";
import { expect, test } from "vitest";
import { Render } from "../../src/cli/terminal/render.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import type { Language } from "../../src/i18n/catalogue.ts";
import type { Check } from "../../src/workbench/check.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { goalStep } from "../../src/workflow/goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { goal, handIn } from "./lines.ts";
import { openStage } from "./stage.ts";

async function freeze(language: Language, checks: readonly Check[], goalPath?: string) {
  const folder = newFolder();
  const workbench = new Workbench(folder, { language }).ensure();
  const stage = openStage({ goalSetter: handIn(goal(checks)) }, { workbench, language }, folder);
  const step = goalStep(new HumanChannel(), { goalPath: goalPath ?? workbench.goalPath(), language });
  await stage.run(new Workflow([step], { workbench }));
  return { folder, event: stage.tasks("goal")[0]! };
}

/** Fifteen checks, of which four cannot be verified. */
const FIFTEEN: readonly Check[] = [
  { text: "界面截图并实际看图", unverifiableReason: "屏幕录制未授权" },
  { text: "在 macOS 上双击能打开", unverifiableReason: "这里是 Linux" },
  { text: "菜单栏图标可见", unverifiableReason: "没有显示器" },
  { text: "声音能播放", unverifiableReason: "没有声卡" },
  ...Array.from({ length: 11 }, (_, index) => ({ text: `第 ${index + 5} 条` })),
];

test("what cannot be verified is told at the moment of freezing, in Chinese word for word as people know it", async () => {
  const { folder, event } = await freeze("zh", FIFTEEN);
  expect(`  # ${event.text}`.split("\n")).toEqual([
    "  # 目标里有 4/15 条在这个环境里验不了 —— 判定时它们必然过不去,会停下来问你。",
    "    现在改 .flower/notes/目标.md 还来得及:",
    "      · 界面截图并实际看图 [此环境无法验证:屏幕录制未授权]",
    "      · 在 macOS 上双击能打开 [此环境无法验证:这里是 Linux]",
    "      · 菜单栏图标可见 [此环境无法验证:没有显示器]",
    "      · 声音能播放 [此环境无法验证:没有声卡]",
  ]);
  expect(event.payload).toEqual({
    type: "goal",
    path: join(folder, ".flower/notes/目标.md"),
    total: 15,
    unverifiable: FIFTEEN.slice(0, 4).map((check) => check.text),
  });
});

test.each<[Language, readonly string[]]>([
  [
    "en",
    [
      "1 of 2 checks in the goal cannot be verified in this environment: judging cannot pass them and will stop to ask you.",
      "    There is still time to change .flower/notes/goal.md:",
      "      · it runs on macOS [cannot be verified here: this is Linux]",
    ],
  ],
  [
    "pt",
    [
      "1 de 2 itens do objetivo não podem ser verificados neste ambiente: no julgamento eles não passam, e a execução vai parar para perguntar a você.",
      "    Ainda dá tempo de mudar .flower/notes/objetivo.md:",
      "      · it runs on macOS [não verificável neste ambiente: this is Linux]",
    ],
  ],
])("and in %s", async (language, lines) => {
  const { event } = await freeze(language, [{ text: "it runs on macOS", unverifiableReason: "this is Linux" }, { text: "it builds" }]);
  expect(event.text.split("\n")).toEqual(lines);
});

test("a person at the terminal reads it once, whole", async () => {
  const { event } = await freeze("zh", FIFTEEN);
  const lines: string[] = [];
  new Render({ write: (text) => lines.push(text), language: "zh", color: false, width: () => 100 }).event(event);
  const [head, ...rest] = lines.join("").trimEnd().split("\n");
  expect(head).toMatch(/^☐ 目标已冻结 · 判定项:15 · /);
  expect(rest.join("\n")).toBe(`⚠ ${event.text.replaceAll("\n", "\n  ")}`);
});

test("it warns and does not block; a goal file outside the workspace is named by its whole path", async () => {
  const path = join(newFolder(), "goal.md");
  const { event } = await freeze("en", [{ text: "it runs on macOS", unverifiableReason: "this is Linux" }], path);
  expect(event.text).toContain(`change ${path}:`);
});
