import { expect, test } from "vitest";
import type { Language } from "../../src/i18n/catalogue.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { serveModel } from "./model-server.ts";
import { isAccepted, REQUEST, read, smallJob, verdict, write } from "./small-job.ts";

interface Words {
  readonly lang: Language;
  readonly during: readonly string[];
  readonly verdicts: readonly [during: string, after: string];
  readonly ended: string;
}

const LANGUAGES: readonly Words[] = [
  {
    lang: "en",
    during: ["running", "Step 3/3: work, round 2"],
    verdicts: ["Last verdict (round 1): not yet. The file is wrong.", "Last verdict (round 2): achieved. I looked at the file."],
    ended: "achieved, exit code 0",
  },
  {
    lang: "zh",
    during: ["进行中", "步骤 3/3:干活,第 2 轮"],
    verdicts: ["最近的判定(第 1 轮):未达成。The file is wrong.", "最近的判定(第 2 轮):达成。I looked at the file."],
    ended: "达成,退出码 0",
  },
  {
    lang: "pt",
    during: ["em andamento", "Passo 3/3: trabalho, rodada 2"],
    verdicts: [
      "Último veredito (rodada 1): não atingido. The file is wrong.",
      "Último veredito (rodada 2): atingido. I looked at the file.",
    ],
    ended: "código de saída 0",
  },
];

/** A job whose first round is not enough; the second waits until it is let go. */
async function twoRounds() {
  let release = () => {};
  let reach = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const server = await serveModel(
    smallJob({
      async worker(view) {
        if (view.news.length > 0) return { text: "greeting.txt is written." };
        if (!view.prompt.includes("An independent judge")) return write("greeting.txt", "Bye\n");
        reach();
        await held;
        return write("greeting.txt", "Hello\n");
      },
      judge(view) {
        if (isAccepted(view)) return { text: "The verdict is in." };
        if (view.news.length === 0) return read("greeting.txt");
        return view.news.join().includes("Hello") ? verdict("passed") : verdict("failed", "The file is wrong.");
      },
    }),
  );
  return { server, reached, release };
}

test.each(LANGUAGES)("the checklist with its evidence, while the run goes on and when it has ended ($lang)", async (words) => {
  const { server, reached, release } = await twoRounds();
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const status = async (...more: readonly string[]) => (await flower(["status", "--lang", words.lang, ...more], options)).stdout;
  const run = await startFlower([REQUEST, "--lang", words.lang, "--timeout", "300"], options);
  await reached;
  const during = await status();
  for (const text of [...words.during, words.verdicts[0]]) expect(during).toContain(text);
  expect(during).toMatch(/\n {2}✗ greeting\.txt says Hello\n {6}\$ cat greeting\.txt exit 0: the output lacks "Hello" Bye\n/);
  release();
  expect((await run.ended).code).toBe(0);
  const after = await status();
  for (const text of [words.ended, words.verdicts[1]]) expect(after).toContain(text);
  expect(after).toMatch(/\n {2}✓ greeting\.txt says Hello\n {6}greeting\.txt: Hello, world\n/);
  const checks = [{ check: "greeting.txt says Hello", state: "passed", evidence: "greeting.txt: Hello, world" }];
  expect(JSON.parse(await status("--json"))).toMatchObject({ state: "ended", verdict: { round: 2, state: "achieved", checks } });
});
