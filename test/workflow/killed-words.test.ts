import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { startScript } from "../script.ts";
import { openStage } from "./stage.ts";
import { shown, talkative } from "./talkative.ts";

test.each(["brief", "Bash", "verdict"].flatMap((tool) => [[tool, "interrupt"] as const, [tool, "mail"] as const]))(
  "a kill right after the receipt, during the call of %s: words by %s stand in the brief, and the next start hears them",
  async (tool, way) => {
    const folder = newFolder();
    const child = startScript("workflow/children/speak-and-hang", folder, tool, way);
    const brief = join(folder, ".flower/notes/brief.md");
    expect(await child.line()).toBe(brief);
    await child.kill();
    expect(await readFile(brief, "utf8")).toContain("> in French, please");

    const flow = starterFlow(undefined, { workspace: folder, timeoutMs: 0 });
    const stage = openStage(talkative(), { workbench: flow.workbench, resilience: { delayMs: 1 } }, folder);
    await stage.run(flow);
    expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
    expect((await readFile(brief, "utf8")).split("> in French, please")).toHaveLength(2);
    expect(stage.engine.requests.some((request) => shown(request).includes("in French, please"))).toBe(true);
  },
);
