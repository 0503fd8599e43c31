import { beforeAll, describe, expect, it } from "vitest";
import { type Block, blocksOf, readPages } from "./pages.ts";
import { runExample } from "./run-example.ts";
import { typeErrors } from "./type-check.ts";

const RUN = /^\/\/ run\n/;

const pages = readPages().map(blocksOf);
const examples = pages.flat().filter((block) => block.language === "ts");
const programs = pages.flatMap((blocks) =>
  blocks.flatMap((block, index) => (RUN.test(block.code) ? [{ at: `${block.page}:${block.line}`, block, output: blocks[index + 1] }] : [])),
);

/** Blocks that are wrong on purpose: what is said of them shows that the check can fail. */
const WRONG: readonly Block[] = [
  wrong("option.md", 'import { Agent } from "flower-agents";\n\nnew Agent({ nam: "A" });'),
  wrong("export.md", 'import { Nothing } from "flower-agents";'),
  wrong("given.md", "const text: string = given;", "declare const given: number;"),
  { ...wrong("right.md", "const text: string = given;"), given: "declare const given: string;" },
];

function wrong(page: string, code: string, given = ""): Block {
  return { page, line: 10, language: "ts", code, given };
}

describe("the examples of the documentation", () => {
  let errors: readonly string[] = [];

  beforeAll(() => {
    errors = typeErrors([...examples, ...WRONG]); // one program for all: the compiler needs seconds to begin
  }, 120_000);

  it("compile, every one", () => {
    expect(examples.length).toBeGreaterThan(20);
    expect(errors.filter((error) => !/^(?:option|export|given|right)\.md:/.test(error)).join("\n")).toBe("");
  });

  it("are reported when they do not compile, with page and line, not counting the lines they take as given", () => {
    expect(errors.find((error) => error.startsWith("option"))).toMatch(/^option\.md:13: .*'nam' does not exist/);
    expect(errors.find((error) => error.startsWith("export"))).toMatch(/^export\.md:11: .*Nothing/);
    expect(errors.find((error) => error.startsWith("given"))).toMatch(/^given\.md:11: /);
    expect(errors.find((error) => error.startsWith("right"))).toBeUndefined();
  });

  it.concurrent.each(programs)("print what the page says: $at", async ({ block, output }) => {
    expect(output?.language, "a program is followed by its output").toBe("text");
    const { exitCode, stdout, stderr } = await runExample(block);
    expect(stderr).toBe("");
    expect(stdout.trimEnd()).toBe(output?.code);
    expect(exitCode).toBe(0);
  });

  it("are seen to fail when they do", async () => {
    const { exitCode, stderr } = await runExample(wrong("a.md", 'throw new Error("broken");'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain("broken");
  });
});
