import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { serveModel } from "./model-server.ts";
import { askFirst, read, smallJob, write } from "./small-job.ts";

interface Names {
  readonly lang: string;
  readonly request: string;
  readonly labels: readonly string[];
  readonly files: readonly [brief: string, goal: string, questions: string];
  readonly headings: readonly [brief: string, goal: string];
  readonly said: string;
}

const LANGUAGES: readonly Names[] = [
  {
    lang: "zh",
    request: "写一个打招呼的文件",
    labels: ["确认需求", "设定目标", "干活", "干活·判定#1"],
    files: ["需求.md", "目标.md", "问答记录.md"],
    headings: ["# 验收标准", "# 判定清单"],
    said: "达成",
  },
  {
    lang: "pt",
    request: "Escreva um arquivo que cumprimente",
    labels: ["esclarecer", "objetivo", "trabalho", "trabalho·juiz#1"],
    files: ["requisitos.md", "objetivo.md", "perguntas.md"],
    headings: ["# Critérios de aceitação", "# Lista de verificação"],
    said: "atingido",
  },
];

test.each(LANGUAGES)("--lang $lang: steps, files and what is printed are in that language, and a later start keeps it", async (names) => {
  const job = smallJob();
  const server = await serveModel(
    smallJob({
      clarifier: askFirst,
      worker(view) {
        if (view.news.length === 0) return read(/brief lies at (.+?);/.exec(view.prompt)?.[1] ?? "not told");
        return view.results[0]?.includes("says Hello") ? write("greeting.txt", "Hello\n") : job(view);
      },
    }),
  );
  const folder = await newFolder();
  const { code, stdout } = await flower([names.request, "--lang", names.lang], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  const books = new Books(folder);
  expect(await books.labels()).toEqual(names.labels);
  expect(await books.note(names.files[0])).toContain(names.headings[0]);
  expect(await books.note(names.files[1])).toContain(names.headings[1]);
  expect(await books.note(names.files[2])).toContain("Good day");
  expect(await books.read("greeting.txt")).toBe("Hello\n");
  for (const label of names.labels.slice(0, 3)) expect(stdout).toContain(label);
  expect(stdout).toContain(names.said);

  const before = server.requests.length;
  expect((await flower([names.request], { cwd: folder, env: server.env() })).code).toBe(0);
  expect(server.requests).toHaveLength(before);
});

test("FLOWER_LANG and then LANG choose the language", async () => {
  const server = await serveModel(smallJob());
  const run = async (env: Readonly<Record<string, string>>) => {
    const folder = await newFolder();
    await flower(["x", "--clarify-only"], { cwd: folder, env: { ...server.env(), ...env } });
    return (await new Books(folder).labels())[0];
  };
  expect(await run({ LANG: "pt_BR.UTF-8" })).toBe("esclarecer");
  expect(await run({ LANG: "pt_BR.UTF-8", FLOWER_LANG: "zh" })).toBe("确认需求");
});
