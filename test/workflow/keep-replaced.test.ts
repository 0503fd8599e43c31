import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { HumanChannel } from "../../src/human/channel.ts";
import { clarifyStep } from "../../src/workflow/clarify.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { brief, handIn } from "./lines.ts";
import { openStage } from "./stage.ts";

test("an unfinished brief that a person wrote is shown to the clarifier and kept when a new one is written", async () => {
  const folder = newFolder();
  const briefPath = join(folder, "brief.md");
  await writeFile(briefPath, "# Gaol\n\nA blue button, and nothing else.\n");
  const channel = new HumanChannel({ timeoutMs: 0, amendPath: briefPath });
  const stage = openStage({ clarifier: handIn(brief()) }, {}, folder);
  await stage.run(new Workflow([clarifyStep(channel, { briefPath, prompt: "make a button" })], { channel }));
  expect(stage.prompt("clarifier", 0)).toContain(briefPath);
  const kept = (await readdir(dirname(briefPath))).find((name) => name.startsWith(`${basename(briefPath)}.replaced-`));
  expect(await readFile(join(folder, kept ?? "?"), "utf8")).toContain("A blue button");
  expect(stage.tasks("notice").map((event) => event.payload.code)).toContain("document-replaced");
});

test("a clarifier that hands in no brief fails for that reason", async () => {
  const folder = newFolder();
  const channel = new HumanChannel({ timeoutMs: 0 });
  const stage = openStage({ clarifier: ["I think all is clear.", "Really."] }, {}, folder);
  await stage.run(new Workflow([clarifyStep(channel, { briefPath: join(folder, "brief.md"), prompt: "x" })], { channel }));
  expect(stage.tasks("run-end")[0]?.payload.reason).toBe("no complete brief was handed in");
});
