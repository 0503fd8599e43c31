import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../../src/messages/message.ts";
import { newFolder } from "../folder.ts";
import { startScript } from "../script.ts";
import { sideBySide } from "./children/side-by-side.ts";
import { openStage } from "./stage.ts";

test("after a kill in the middle of a parallel element only the steps that were not finished run, in their sessions", async () => {
  const folder = newFolder();
  const child = startScript("workflow/children/side-by-side", folder);
  expect(await child.line()).toBe("ready");
  await child.kill();

  const stage = openStage(({ messages }) => `${textOf(messages[0]!)} again`, {}, folder);
  const ctx = await stage.run(sideBySide());
  const begun = stage.of("step").map(({ text, payload }) => [payload.index, text, payload.skipped ?? false, payload.resumed]);
  expect(begun.sort()).toEqual([
    [1, "list", true, false],
    [2, "one", false, true],
    [3, "table", true, false],
    [4, "two", false, true],
  ]);
  expect(stage.engine.requests.map(({ messages }) => textOf(messages[0]!)).sort()).toEqual(["one", "two"]);
  for (const { messages } of stage.engine.requests) expect(messages.map(({ role }) => role)).toEqual(["user", "model", "tool", "user"]);
  expect(await Promise.all(["one.txt", "two.txt"].map((name) => readFile(join(folder, name), "utf8")))).toEqual(["x\n", "x\n"]);
  expect(ctx).toMatchObject({ list: { items: ["lamp", "chair"] }, one: "one again", two: "two again" });
  expect(ctx["table"]).toEqual(new Map([["all", "plain"]]));
  expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
});
