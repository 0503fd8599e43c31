import { expect, test } from "vitest";
import { openBench, worker } from "./bench.ts";

const cut = (text: string) => ({ text, finish: "length" }) as const;

test.each(["As far as", ""])(
  "an answer that is cut at the output limit (%j) is asked for once more, in its session, and said",
  async (text) => {
    const bench = openBench([cut(text), "The whole report."]);
    const result = await bench.finish(bench.runtime.run(worker(), "go", { onEvent: bench.note }));
    expect(result).toMatchObject({ ok: true, text: "The whole report.", attempts: 1, numIterations: 2 });
    const prompts = bench.engine.requests[1]?.messages.filter((message) => message.role === "user");
    expect(prompts).toHaveLength(2);
    expect(JSON.stringify(prompts?.[1])).toContain("cut at the output limit");
    expect(notices(bench)).toEqual([expect.stringContaining("asked for once more")]);
  },
);

test("cut again, it counts as it is, and that is said", async () => {
  const bench = openBench([cut("one"), cut("two")]);
  const result = await bench.finish(bench.runtime.run(worker(), "go", { onEvent: bench.note }));
  expect(result).toMatchObject({ ok: true, text: "two" });
  expect(bench.engine.requests).toHaveLength(2);
  expect(notices(bench)).toEqual([expect.stringContaining("once more"), expect.stringContaining("counts as it is")]);
});

test("an answer that is whole is asked for once", async () => {
  const bench = openBench(["done"]);
  expect(await bench.finish(bench.runtime.run(worker(), "go", { onEvent: bench.note }))).toMatchObject({ numIterations: 1 });
  expect(notices(bench)).toEqual([]);
});

function notices({ of }: ReturnType<typeof openBench>): readonly string[] {
  return of("task").flatMap(({ text, payload }) => (payload.type === "notice" && payload.code === "answer-cut" ? [text] : []));
}
