import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { openStage } from "./stage.ts";
import { shown, talkative } from "./talkative.ts";

const SCRIPT = new URL("./speak-and-hang.ts", import.meta.url).pathname;

test.each(["brief", "Bash", "verdict"].flatMap((tool) => [[tool, "interrupt"] as const, [tool, "mail"] as const]))(
  "a kill right after the receipt, during the call of %s: words by %s stand in the brief, and the next start hears them",
  async (tool, way) => {
    const folder = newFolder();
    const child = spawn(process.execPath, ["--import", "tsx", SCRIPT, folder, tool, way], { stdio: ["ignore", "pipe", "inherit"] });
    const brief = join(folder, ".flower/notes/brief.md");
    expect(String((await once(child.stdout, "data"))[0])).toBe(`${brief}\n`);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await readFile(brief, "utf8")).toContain("> in French, please");

    const flow = starterFlow(undefined, { workspace: folder, timeoutMs: 0 });
    const stage = openStage(talkative(), { workbench: flow.workbench, resilience: { delayMs: 1 } }, folder);
    await stage.run(flow);
    expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
    expect((await readFile(brief, "utf8")).split("> in French, please")).toHaveLength(2);
    expect(stage.engine.requests.some((request) => shown(request).includes("in French, please"))).toBe(true);
  },
);
