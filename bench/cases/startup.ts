import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Case, Figures } from "../case.ts";
import { median } from "../measure.ts";
import type { Participant } from "../participants.ts";

const STARTS = 5;
const FOLDER = fileURLToPath(new URL("..", import.meta.url));

/** Every figure is of whole processes, started one after the other. */
export const measured: Case = {
  metrics: [
    { key: "import", title: "import of the root entry, over an empty module", unit: "ms", goal: 40 },
    { key: "answer", title: "process start → first answer", unit: "ms", goal: 110 },
    { key: "withTool", title: "the same, with a tool that has a zod schema", unit: "ms" },
  ],
  async run(participant) {
    const answers = await times(() => timeAnswer(participant));
    const withTool = await times(() => timeAnswer(participant, "tool"));
    return { ...(await timeImport(participant)), answer: answers, withTool };
  },
};

async function times(measure: () => Promise<number>): Promise<number> {
  const figures: number[] = [];
  for (let n = 0; n <= STARTS; n++) figures.push(await measure());
  return median(figures.slice(1)); // the first one reads the files from disk
}

async function timeImport(participant: Participant): Promise<Figures> {
  if (participant.package === undefined) return {};
  const overhead: number[] = [];
  for (let n = 0; n <= STARTS; n++) {
    const empty = await timeModule("");
    overhead.push((await timeModule(`import ${JSON.stringify(participant.package)}; process.exit(0)`)) - empty);
  }
  return { import: median(overhead.slice(1)) };
}

/** Until the process has ended. */
async function timeModule(code: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], { cwd: FOLDER, stdio: ["ignore", "ignore", "inherit"] });
  const [exitCode] = await once(child, "exit");
  assert.equal(exitCode, 0);
  return performance.now() - start;
}

/** Until the answer has been printed. */
async function timeAnswer(participant: Participant, ...extra: string[]): Promise<number> {
  const start = performance.now();
  const program = [`${FOLDER}/first-answer.js`, participant.name, ...extra];
  const child = spawn(process.execPath, program, { cwd: FOLDER, stdio: ["ignore", "pipe", "inherit"] });
  const [answer] = await once(child.stdout, "data");
  const ms = performance.now() - start;
  assert.equal(String(answer), "It is fine.");
  if (child.exitCode === null) await once(child, "exit");
  return ms;
}
