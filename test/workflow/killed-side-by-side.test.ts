import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { textOf } from "../../src/messages/message.ts";
import { newFolder } from "../folder.ts";
import { sideBySide } from "./side-by-side.ts";
import { openStage } from "./stage.ts";

const SCRIPT = fileURLToPath(new URL("./side-by-side.ts", import.meta.url));

test("after a kill in the middle of a parallel element only the step that was not finished runs, in its session", async () => {
  const folder = newFolder();
  const child = spawn(process.execPath, ["--import", "tsx", SCRIPT, folder], { stdio: ["ignore", "pipe", "inherit"] });
  expect(String((await once(child.stdout, "data"))[0])).toBe("ready\n");
  child.kill("SIGKILL");
  await once(child, "exit");

  const stage = openStage(["written"], {}, folder);
  const ctx = await stage.run(sideBySide());
  expect(stage.of("step").map(({ text, payload }) => [text, payload.skipped ?? payload.resumed])).toEqual([
    ["list", true],
    ["table", true],
    ["file", true],
  ]);
  expect(stage.engine.requests).toHaveLength(1);
  expect(textOf(stage.engine.requests[0]!.messages[0]!)).toBe("file");
  expect(stage.engine.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "model", "tool", "user"]);
  expect(await readFile(join(folder, "file.txt"), "utf8")).toBe("x\n");
  expect(ctx).toMatchObject({ list: { items: ["lamp", "chair"] }, file: "written" });
  expect(ctx["table"]).toEqual(new Map([["all", "plain"]]));
  expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
});
