import { expect, test } from "vitest";
import { repetitionGuard } from "../../src/guards/repetition.ts";
import type { ResultContent } from "../../src/messages/message.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

const CONTEXT = {} as ToolContext; // it looks at nothing of it

/** The results that the model reads of these calls, or the code that stopped it. */
async function play(calls: readonly (readonly [name: string, args: object, result: string])[]): Promise<readonly string[]> {
  const guard = repetitionGuard();
  const read: string[] = [];
  for (const [name, args, text] of calls) {
    const content: readonly ResultContent[] = [{ type: "text", text }];
    try {
      const outcome = await guard.after?.({ type: "call", callId: "c", name, args: args as never }, { content, isError: false }, CONTEXT);
      if (!outcome) throw new Error("it answers");
      read.push(outcome.content.map((part) => (part.type === "text" ? part.text : "")).join(" | "));
    } catch (error) {
      return [...read, String((error as { code?: string }).code)];
    }
  }
  return read;
}

const many = (count: number, make: (n: number) => readonly [string, object, string]) => Array.from({ length: count }, (_, n) => make(n));

test("the fifth same call with the same result is pointed out, the fifteenth ends the work", async () => {
  const read = await play(many(20, () => ["Read", { file_path: "a" }, "none"]));
  expect(read.slice(0, 4)).toEqual(["none", "none", "none", "none"]);
  expect(read[4]).toMatch(/^none \| \[This is the same Read call with the same result, for the 5th time in a row\./);
  expect(read).toHaveLength(15);
  expect(read.at(-1)).toBe("repetition");
});

test.each<[string, (n: number) => readonly [string, object, string]]>([
  ["other results", (n) => ["Bash", { command: "make" }, `error ${n}`]],
  ["other arguments", (n) => ["Read", { file_path: `${n}` }, "none"]],
  ["another call in between", (n) => [n % 4 === 3 ? "Glob" : "Read", {}, "none"]],
])("%s are no repetition", async (_what, make) => {
  expect((await play(many(60, make))).join()).not.toMatch(/repetition|same/);
});

test.each(["BashOutput", "Bash"])("waiting with %s may take longer, but is pointed out too", async (name) => {
  const read = await play(many(151, () => [name, { command: "sleep 60; tail log" }, "running"]));
  expect(read[5]).toContain("6th time");
  expect(read).toHaveLength(150);
});

test("failures that differ only in their trace are the same", async () => {
  const read = await play(many(20, (n) => ["x", {}, `"x" failed (trace ${n}abcdef). The details are in the log.`]));
  expect(read.at(-1)).toBe("repetition");
});
