import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { type ModelScript, serveModel } from "./model-server.ts";
import { bash, REQUEST, smallJob } from "./small-job.ts";
import { hasScript, Terminal } from "./terminal.ts";

/** Its work needs a permission. */
const asker: ModelScript = (view) => (view.results.length > 0 ? { text: "Done." } : bash("echo Hello > greeting.txt; git push"));

test("an unclear answer to a parked permission is refused with its options; a plain yes allows the call at the next start", async () => {
  const server = await serveModel(smallJob({ worker: asker }));
  const options = { cwd: await newFolder(), env: server.env() };
  const books = new Books(options.cwd);
  expect((await flower([REQUEST, "--timeout", "0", "--park"], options)).code).toBe(3);
  for (const words of ["maybe", "3"]) {
    const refused = await flower(["answer", "q1", words], options);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("1 Allow it this time · 2 No") });
  }
  expect(await books.read("runs", await books.lastRun(), "asks.json")).toContain('"state": "asked"');
  expect(await flower(["answer", "q1", "Sim"], options)).toMatchObject({ code: 0, stdout: expect.stringContaining("Allow it this time") });
  const { code, stdout } = await flower(["--timeout", "0", "--park"], options);
  expect(code, stdout).toBe(0);
  expect(await books.note("questions.md")).not.toContain("m1");
  expect(server.requests.flatMap((view) => view.results).join()).not.toContain("refused");
});

test.skipIf(!hasScript)("what is typed or sent meanwhile is checked as well; the question stays open until it is answered", async () => {
  const server = await serveModel(smallJob({ worker: asker }));
  const options = { cwd: await newFolder(), env: server.env() };
  const terminal = await Terminal.open([REQUEST], options);
  await terminal.shows("q1 ›");
  expect(terminal.screen).toContain("1 or yes allows");
  terminal.type("perhaps\r");
  await terminal.shows("“perhaps” is neither a clear yes nor a clear no");
  expect((await flower(["answer", "q1", "perhaps"], options)).stderr).toContain("neither a clear yes nor a clear no");
  terminal.type("是\r");
  await terminal.shows("q1 answered: Allow it this time");
  expect(await terminal.ended).toBe(0);
});
