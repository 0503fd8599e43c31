import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { splitAmendments } from "../../src/human/amendments.ts";
import type { Language } from "../../src/i18n/catalogue.ts";
import { type StarterOptions, starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { brief, goal, handIn, verdict } from "./lines.ts";
import { type Cast, openStage, type Stage } from "./stage.ts";

const achieved = handIn(verdict(["passed"]));
const WHOLE: Cast = {
  clarifier: handIn(brief()),
  goalSetter: handIn(goal([{ text: "it says hello" }])),
  worker: ["done"],
  judge: achieved,
};
/** What a start needs that takes an edit in. */
const AGAIN: Cast = { goalSetter: handIn(goal([{ text: "it says goodbye" }])), worker: ["done too"], judge: achieved };

const PATHS: Readonly<Record<Language, string>> = { en: "brief.md", zh: "需求.md", pt: "requisitos.md" };
const pathIn = (folder: string, language: Language = "en") => join(folder, ".flower/notes", PATHS[language]);

/** Starts the chain in the folder as a process of its own would. */
async function start(folder: string, cast: Cast, options: StarterOptions & { readonly request?: string } = {}): Promise<Stage> {
  const { request, ...rest } = options;
  const flow = starterFlow(request, { workspace: folder, timeoutMs: 0, ...rest });
  const stage = openStage(cast, { workbench: flow.workbench, language: rest.language }, folder);
  await stage.run(flow);
  await stage.runtime.close();
  return stage;
}

/** Everything is done; then somebody edits the brief with an editor. */
async function editedAfter(cast: Cast = WHOLE, options: StarterOptions = {}, from = "A file greeting.txt.", to = "A file goodbye.txt.") {
  const folder = newFolder();
  const first = await start(folder, cast, { request: "make a greeting", ...options });
  await edit(pathIn(folder, options.language), from, to);
  return { folder, first };
}

async function edit(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, "utf8");
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

const codes = (stage: Stage) => stage.tasks("notice").map(({ payload }) => payload.code);
const outcome = (stage: Stage) => stage.tasks("run-end")[0]?.payload.outcome;

describe("a brief that a person edits by hand between runs", () => {
  test.each<Language>(["en", "zh", "pt"])(
    "counts like words said at the start: the goal is amended, the work reopened, judged by it (%s)",
    async (language) => {
      const { folder } = await editedAfter(WHOLE, { language });
      const stage = await start(folder, AGAIN, { language });
      expect(codes(stage)).toEqual(["woke", "brief-edited"]);
      const changes = "- A file greeting.txt.\n+ A file goodbye.txt.";
      expect(stage.tasks("notice")[1]?.text).toContain(changes);
      expect(stage.prompt("goalSetter", 0)).toContain(changes);
      expect(stage.prompt("goalSetter", 0)).toContain("- it says hello");
      expect(stage.prompt("worker", 0)).toContain(changes);
      expect(stage.prompt("judge", 0)).toContain("1. it says goodbye");
      const kept = splitAmendments(await readFile(pathIn(folder, language), "utf8"));
      expect(kept.document).toContain("A file goodbye.txt.");
      expect(kept.amendments.map(({ text }) => text)).toEqual([expect.stringContaining(changes)]);
      expect(outcome(stage)).toBe("achieved");
    },
  );

  test("is taken in once: the start after that has nothing to do and asks no model", async () => {
    const { folder } = await editedAfter();
    await start(folder, AGAIN);
    const stage = await start(folder, {});
    expect(codes(stage)).toEqual(["woke", "already-done"]);
    expect(stage.engine.requests).toEqual([]);
  });

  test("is heard together with the words of that start", async () => {
    const { folder } = await editedAfter();
    const stage = await start(folder, AGAIN, { request: "and be quick" });
    for (const role of ["goalSetter", "worker"] as const) {
      expect(stage.prompt(role, 0)).toMatch(/\+ A file goodbye\.txt\.[\s\S]*and be quick/);
      expect(stage.requests(role)).toHaveLength(AGAIN[role]?.length ?? 0);
    }
  });

  test("is heard after a run that failed, too, in the session that there is", async () => {
    const { folder } = await editedAfter({ ...WHOLE, judge: handIn(verdict(["failed"])) }, { rounds: 1 });
    const stage = await start(folder, AGAIN);
    expect(stage.requests("goalSetter")).toHaveLength(2);
    expect(stage.requests("worker")[0]?.messages).toHaveLength(3);
    expect(stage.prompt("judge", 0)).toContain("1. it says goodbye");
  });

  test("without a goal has the work done by it", async () => {
    const { folder } = await editedAfter({ clarifier: WHOLE.clarifier, worker: ["done"] }, { goal: false });
    const stage = await start(folder, { worker: ["done too"] }, { goal: false });
    expect(stage.prompt("worker", 0)).toContain("+ A file goodbye.txt.");
  });

  test("when it is taken away it is clarified anew, and the goal is not left as it was", async () => {
    const { folder } = await editedAfter();
    await rm(pathIn(folder));
    expect(codes(await start(folder, { clarifier: [new FlowerError("auth", "bad key")] }))).toEqual(["woke", "brief-edited"]);
    const stage = await start(folder, { clarifier: handIn(brief({ goal: "A song." })), ...AGAIN });
    expect(codes(stage)).toEqual(["woke"]); // said once
    expect(stage.prompt("goalSetter", 0)).toContain("A song.");
    expect(stage.prompt("judge", 0)).toContain("1. it says goodbye");
    expect(codes(await start(folder, {}))).toEqual(["woke", "already-done"]);
  });
});

test("a brief that nobody edited costs nothing, however its lines end and whatever was said during the run", async () => {
  const folder = newFolder();
  const speaking = async () => {
    await flow.channel.send("well done so far");
    return "done";
  };
  const flow = starterFlow("make a greeting", { workspace: folder, timeoutMs: 0 });
  const cast: Cast = { ...WHOLE, goalSetter: [...handIn(goal([{ text: "it says hello" }])), "No change."], worker: [speaking, "done"] };
  const first = openStage(cast, { workbench: flow.workbench }, folder);
  await first.run(flow);
  await first.runtime.close();
  expect(outcome(first)).toBe("achieved");
  const text = await readFile(pathIn(folder), "utf8");
  expect(text).toContain("> well done so far");
  await writeFile(pathIn(folder), `${text}\n\n`);
  const stage = await start(folder, {});
  expect(codes(stage)).toEqual(["woke", "already-done"]);
  expect(stage.engine.requests).toEqual([]);
});

test("a brief that changes while the work runs does not amend the goal, then or at the next start, and the person is told", async () => {
  const folder = newFolder();
  const meddling = async () => {
    await edit(pathIn(folder), "- greeting.txt says hello", "- anything will do");
    return "done";
  };
  const first = await start(folder, { ...WHOLE, worker: [meddling] }, { request: "make a greeting" });
  expect(codes(first)).toContain("brief-changed-during-work");
  expect(first.requests("goalSetter")).toHaveLength(2);
  expect(first.prompt("judge", 0)).toContain("1. it says hello");
  const second = await start(folder, {});
  expect(codes(second)).toEqual(["woke", "already-done"]);
});

test("nor when that round fails: the next start goes on by the goal as it was", async () => {
  const folder = newFolder();
  const meddling = async () => {
    await edit(pathIn(folder), "- greeting.txt says hello", "- anything will do");
    return new FlowerError("auth", "bad key");
  };
  const first = await start(folder, { ...WHOLE, worker: [meddling] }, { request: "make a greeting" });
  expect(outcome(first)).toBe("failed");
  expect(codes(first)).toEqual(["brief-changed-during-work"]);
  const second = await start(folder, { worker: ["done"], judge: achieved });
  expect(codes(second)).toEqual(["woke"]);
  expect(second.prompt("judge", 0)).toContain("1. it says hello");
});
