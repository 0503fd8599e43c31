import { expect, test, vi } from "vitest";
import type { ScriptedReply } from "../../src/engines/scripted.ts";
import { Books } from "./books.ts";
import { type CliOptions, flower, newFolder, type Running, startFlower } from "./cli.ts";
import { type ModelScript, type ModelServer, serveModel } from "./model-server.ts";
import { bash, isAccepted, REQUEST, read, smallJob } from "./small-job.ts";

const PATIENCE = { timeout: 60_000, interval: 30 };
const ATTENDED = ["--timeout", "300"];

function verdict(state: "passed" | "failed", impossible?: string): ScriptedReply {
  const report = { checks: [{ number: 1, state, evidence: "greeting.txt" }], reason: "I read the file." };
  return { calls: [{ name: "verdict", args: impossible === undefined ? report : { ...report, impossible } }] };
}

/** Unreachable as long as the greeting is plain; nothing was ever reached while it says Bye. */
const judge: ModelScript = (view) => {
  if (isAccepted(view)) return { text: "The verdict is in." };
  if (view.news.length === 0) return read("greeting.txt");
  const text = view.news.join();
  if (text.includes("Bye")) return verdict("failed");
  return text.includes("again") ? verdict("passed") : verdict("failed", "The printer is on fire.");
};

/** `first` is what the first round writes; told by the judge it says Hello; told by the person, Hello again. */
const worker =
  (first: string): ModelScript =>
  (view) => {
    if (view.news.length > 0) return { text: "greeting.txt is written." };
    if (view.prompt.includes("The person says:")) return bash("echo Hello again > greeting.txt");
    return bash(`echo ${view.prompt.includes("An independent judge") ? "Hello" : first} > greeting.txt`);
  };

interface Scene {
  readonly server: ModelServer;
  readonly options: CliOptions;
  readonly books: Books;
  start(args?: readonly string[]): Promise<Running>;
}

async function open(first: string): Promise<Scene> {
  const server = await serveModel(smallJob({ worker: worker(first), judge }));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  return { server, options, books: new Books(folder), start: (args = []) => startFlower([...args, ...ATTENDED], options) };
}

/** Waits until the question stands in the log of the newest of so many runs. */
async function asked({ books }: Scene, id: string, runs = 1): Promise<void> {
  await vi.waitFor(async () => {
    expect(await books.runs()).toHaveLength(runs);
    expect(await books.payloads("ask")).toContainEqual(expect.objectContaining({ id, state: "asked" }));
  }, PATIENCE);
}

test("in the last round, answered from another process: change the goal, say which, and the run goes on to its end", async () => {
  const scene = await open("Hello");
  const { options, books } = scene;
  const run = await scene.start([REQUEST, "--rounds", "1"]);
  await asked(scene, "q1");
  expect((await flower(["answer", "q1", "2"], options)).stdout).toBe("q1 is answered: Change the goal\n");
  await asked(scene, "q2");
  expect((await flower(["answer", "q2", "Greet again."], options)).code).toBe(0);
  expect((await run.ended).code).toBe(0);
  expect(await books.note("goal.md")).toContain("Changed by the person: Greet again.");
  expect((await books.labels()).slice(2)).toEqual(["work", "work·judge#1", "goal", "work#round2", "work·judge#2"]);
});

test("in a middle round, killed while the question waits: words that begin like an option are kept, and the next start works by them", async () => {
  const scene = await open("Bye");
  const { options, books, server } = scene;
  const run = await scene.start([REQUEST]);
  await asked(scene, "q1");
  await run.kill();
  expect((await flower(["status"], options)).stdout).toContain(
    "q1 waits for you: The goal was judged **unreachable**: The printer is on fire.",
  );
  const words = "1. but greet again";
  expect((await flower(["answer", "q1", words], options)).stdout).toMatch(/^q1 is answered: 1\. but greet again\. No run/);
  const before = server.requests.length;
  expect((await (await scene.start()).ended).code).toBe(0);
  const later = server.requests.slice(before);
  expect(later[0]).toMatchObject({ role: "worker", prompt: expect.stringContaining(`The person says:\n\n${words}\n`) });
  expect((await books.labels()).slice(2)).toEqual([
    ...["work", "work·judge#1", "work#round2", "work·judge#2"], // judged before the kill, and not again
    ...["work#round3", "work·judge#3"],
  ]);
  await books.expectWhole();
});

test("killed while either question waits in the last round: each answer given meanwhile is found, and nothing is judged twice", async () => {
  const scene = await open("Hello");
  const { options, books, server } = scene;
  const first = await scene.start([REQUEST, "--rounds", "1"]);
  await asked(scene, "q1");
  await first.kill();
  expect((await flower(["answer", "q1", "2"], options)).code).toBe(0);
  const before = server.requests.length;
  const second = await scene.start(["--rounds", "1"]);
  await asked(scene, "q2", 2);
  await second.kill();
  expect(server.requests).toHaveLength(before); // to ask costs nothing
  expect((await flower(["answer", "q2", "Greet again."], options)).code).toBe(0);
  const third = await (await scene.start(["--rounds", "1"])).ended;
  expect(third.code, third.stdout).toBe(0);
  expect(await books.note("goal.md")).toContain("Changed by the person: Greet again.");
  expect(server.requests.slice(before).map(({ role }) => role)).toEqual([
    ...["goal-setter", "goal-setter"],
    ...["worker", "worker"],
    ...["judge", "judge", "judge"],
  ]);
  await books.expectWhole();
});
