import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { INTERRUPTED_RESULT } from "../../src/messages/history.ts";
import { readControlFile } from "../../src/server/control-file.ts";
import { isRunning } from "../is-running.ts";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { type ModelScript, type ModelServer, serveModel } from "./model-server.ts";
import { gone, pidIn } from "./processes.ts";
import { askFirst, bash, REQUEST, smallJob } from "./small-job.ts";
import { hasScript, Terminal } from "./terminal.ts";

const CTRL_C = "\x03";

interface Desk {
  readonly terminal: Terminal;
  readonly server: ModelServer;
  readonly folder: string;
  readonly books: Books;
}

async function sitDown(script: ModelScript): Promise<Desk> {
  const server = await serveModel(script);
  const folder = await newFolder();
  const terminal = await Terminal.open([REQUEST], { cwd: folder, env: server.env() });
  return { terminal, server, folder, books: new Books(folder) };
}

/** Its first command waits for a file named `go`, so that a person has all the time of the world; it reads its mail when told. */
const waitingWorker: ModelScript = (view) => {
  if (view.replies === 0) return bash("echo $$ > waiting.pid; until [ -e go ]; do sleep 0.02; done; echo Hello > greeting.txt");
  if (view.news.length === 0 && view.results.join().includes(INTERRUPTED_RESULT)) return bash("echo Hello > greeting.txt");
  if (view.prompt.includes("Read the inbox") && view.news.length === 0) return { calls: [{ name: "mcp__human__inbox" }] };
  return { text: "greeting.txt is written." };
};

const atWork = ({ folder }: Desk) => pidIn(join(folder, "waiting.pid"));
const letItGo = ({ folder }: Desk) => writeFile(join(folder, "go"), "");

describe.skipIf(!hasScript)("at a real terminal", () => {
  test("a question is shown, a number picks its option, and the run ends by itself", async () => {
    const { terminal, server, books } = await sitDown(smallJob({ clarifier: askFirst }));
    await terminal.shows("Which greeting?");
    await terminal.shows("q1 ›");
    terminal.type("2\r");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).toContain("q1 answered: Good day");
    expect(server.requests[1]?.results).toEqual([expect.stringMatching(/^The person answered after .*\n\nGood day$/)]);
    expect(await books.payloads("ask")).toMatchObject([{ state: "asked" }, { state: "answered", answer: "Good day" }]);
    expect(await books.note("questions.md")).toContain("Good day");
  });

  test("mail gets a receipt that is true, reaches the agent at its next checkpoint, and stands in the brief", async () => {
    const desk = await sitDown(smallJob({ worker: waitingWorker }));
    const { terminal, server, books } = desk;
    await atWork(desk);
    terminal.type("Make it warm.\r");
    await terminal.shows("m1 is queued and saved to");
    expect(await books.note("brief.md")).toContain("Make it warm.");
    expect(terminal.screen).not.toContain("m1 has reached the agent");
    await letItGo(desk);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).toContain("m1 has reached the agent");
    const told = server.requests.filter((view) => view.role === "worker").map((view) => view.news.join());
    expect(told.filter((news) => news.includes("Make it warm."))).toHaveLength(1);
    expect(server.requests.find((view) => view.prompt.includes("Since the goal was set, the person said"))?.prompt).toContain(
      "Make it warm.",
    );
    expect(await books.note("questions.md")).toContain("Make it warm.");
  });

  test("word of mail is given again when the model call that carried it failed", async () => {
    let failures = 1;
    const failOnce: ModelScript = (view) =>
      view.prompt.includes("Read the inbox") && failures-- > 0 ? { status: 503, message: "overloaded" } : waitingWorker(view);
    const desk = await sitDown(smallJob({ worker: failOnce }));
    await atWork(desk);
    desk.terminal.type("Make it warm.\r");
    await desk.terminal.shows("m1 is queued");
    await letItGo(desk);
    expect(await desk.terminal.ended).toBe(0);
    expect(desk.terminal.screen).toContain("m1 has reached the agent");
  });

  test("Ctrl+C asks for words; they reach the same session at its next message, and no attempt is used up", async () => {
    const desk = await sitDown(smallJob({ worker: waitingWorker }));
    const { terminal, server, books } = desk;
    await atWork(desk);
    terminal.type(CTRL_C);
    await terminal.shows("What should the agent know?");
    await terminal.shows("say ›");
    terminal.type("Say it loud.\r");
    await terminal.shows("will stop at its next message and hear this. Your words stand in");
    expect(await books.note("brief.md")).toContain("Say it loud.");
    await letItGo(desk);
    expect(await terminal.ended).toBe(0);
    const work = server.requests.filter((view) => view.role === "worker");
    expect(work.map((view) => view.replies)).toEqual([0, 1]);
    expect(work[1]?.prompt).toMatch(/^The person stopped you to say this:\n\nSay it loud\./);
    expect((await books.manifest()).find((row) => row.step === "work")).toMatchObject({ ok: true, attempts: 1, errors: [] });
  });

  test("Ctrl+C twice ends the run with exit code 130, ends its commands, leaves whole books, and the next start finishes", async () => {
    const desk = await sitDown(smallJob({ worker: waitingWorker }));
    const { terminal, server, folder, books } = desk;
    const command = await atWork(desk);
    terminal.type(CTRL_C + CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen).not.toMatch(/\bat .*\.(js|ts):\d+/);
    expect(isRunning(command)).toBe(false);
    expect(await books.end()).toMatchObject({ outcome: "interrupted", exitCode: 130, failedAt: "work" });
    expect((await books.manifest()).map((row) => [row.step, row.ok])).toEqual([
      ["clarify", true],
      ["goal", true],
      ["work", false],
    ]);
    await books.expectWhole();

    const before = server.requests.length;
    const { code, stdout } = await flower([REQUEST], { cwd: folder, env: server.env() });
    expect(code, stdout).toBe(0);
    expect(server.requests[before]).toMatchObject({ role: "worker", replies: 1 });
  });

  test("when the terminal goes away the run ends, with its commands, and the books say so", async () => {
    const desk = await sitDown(smallJob({ worker: waitingWorker }));
    const { terminal, books } = desk;
    const command = await atWork(desk);
    const run = await readControlFile(books.runDir, await books.lastRun());
    expect(run).toBeDefined();
    terminal.close();
    await gone(run?.pid ?? 0); // before that it takes away what the books must not keep
    expect(await books.end()).toMatchObject({ outcome: "interrupted" });
    expect(isRunning(command)).toBe(false);
    await books.expectWhole();
  });
});
