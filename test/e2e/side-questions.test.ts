import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Books } from "./books.ts";
import { newFolder } from "./cli.ts";
import { type ModelScript, serveModel, type View } from "./model-server.ts";
import { pidIn } from "./processes.ts";
import { bash, REQUEST, smallJob } from "./small-job.ts";
import { hasScript, Terminal } from "./terminal.ts";

const CTRL_C = "\x03";

const isOracle = (view: View) => view.texts.some((text) => text.includes("You are the oracle"));

/** The small job with a worker that waits for a file named `go`, and an oracle. */
function jobWith(oracle: ModelScript): ModelScript {
  const job = smallJob({
    worker: (view) =>
      view.replies === 0
        ? bash("echo $$ > waiting.pid; until [ -e go ]; do sleep 0.02; done; echo Hello > greeting.txt")
        : { text: "greeting.txt is written." },
  });
  return (view) => (isOracle(view) ? oracle(view) : job(view));
}

async function sitDown(oracle: ModelScript) {
  const server = await serveModel(jobWith(oracle));
  const folder = await newFolder();
  const terminal = await Terminal.open([REQUEST], { cwd: folder, env: server.env() });
  await pidIn(join(folder, "waiting.pid"));
  return { server, folder, terminal, letItGo: () => writeFile(join(folder, "go"), "") };
}

describe.skipIf(!hasScript)("side questions at a real terminal", () => {
  test("a line that begins with ? or ？ is answered while the run works, and the run's books do not know of it", async () => {
    const { server, folder, terminal, letItGo } = await sitDown((view) => ({
      text: `Seen: ${/"?until \[ -e go/.test(view.prompt) ? "a worker waits" : "nothing"}`,
    }));
    terminal.type("? how far are we\r");
    await terminal.shows("Seen: a worker waits");
    terminal.type("？到哪了\r");
    await terminal.shows("? 到哪了");
    const manifest = join(folder, "runs", "manifest.json");
    const before = await readFile(manifest);
    await letItGo();
    expect(await terminal.ended).toBe(0);
    expect(server.requests.filter(isOracle)).toHaveLength(2);
    expect(server.requests.filter((view) => !isOracle(view) && view.texts.join().includes("how far are we"))).toEqual([]);
    expect(before.toString()).not.toContain("oracle");
    expect(await readFile(manifest, "utf8")).not.toContain("oracle");
    expect(JSON.parse(await readFile(join(folder, "runs", "aside", "manifest.json"), "utf8"))).toMatchObject([
      { step: "oracle#1" },
      { step: "oracle#2" },
    ]);
    expect(await new Books(folder).payloads("ask")).toEqual([]); // it is no mail
  });

  test("an answer that is open when the run ends is waited for", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { terminal, letItGo } = await sitDown(async () => {
      await released;
      return { text: "Better late." };
    });
    terminal.type("? how far\r");
    await terminal.shows("Asked on the side");
    await letItGo();
    await terminal.shows("Side questions still open: 1.");
    release();
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).toContain("Better late.");
  });

  test("Ctrl+C ends the waiting, and the run has succeeded all the same", async () => {
    const { terminal, letItGo } = await sitDown(() => new Promise<never>(() => {}));
    terminal.type("? how far\r");
    await terminal.shows("Asked on the side");
    await letItGo();
    await terminal.shows("Side questions still open: 1.");
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).toContain("it was not waited for any longer");
  });
});
