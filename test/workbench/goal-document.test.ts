import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LANGUAGES } from "../../src/i18n/catalogue.ts";
import { type Check, checkProblems } from "../../src/workbench/check.ts";
import { goalToMarkdown, makeGoal, parseGoal } from "../../src/workbench/goal-document.ts";
import { tidy } from "../../src/workbench/markdown-lines.ts";
import { toPattern } from "../../src/workbench/pattern.ts";
import { runs } from "../random-runs.ts";
import { hostileMarkdown } from "./hostile.ts";

const GOAL_FILE = `# 目标
让 conv.py 能把 md 转成 html。

# 判定清单
- 跑 \`python conv.py a.md\` 产出 a.html
- 输出里含 \`<h1>\`
- 列表被转成 \`<ul><li>\`
`;

test("the file that people know reads and writes as it stands", () => {
  const goal = parseGoal(GOAL_FILE);
  expect(goal).toMatchObject({ statement: "让 conv.py 能把 md 转成 html。", complete: true, unverifiable: [], problems: [] });
  expect(goal.checks.map((check) => check.text)).toEqual([
    "跑 `python conv.py a.md` 产出 a.html",
    "输出里含 `<h1>`",
    "列表被转成 `<ul><li>`",
  ]);
  expect(goalToMarkdown(goal, "zh")).toBe(GOAL_FILE);
});

test("a hard check is two untranslated lines under the item", () => {
  const check: Check = {
    text: "conv.js makes a page",
    command: "node conv.js a.md",
    expect: { exit: 0, stdoutContains: ["<h1>"], creates: ["a.html"] },
  };
  const text = goalToMarkdown({ statement: "s", checks: [check] }, "pt");
  expect(text).toBe(
    '# Objetivo\ns\n\n# Lista de verificação\n- conv.js makes a page\n  $ node conv.js a.md\n  => exit 0; stdout contains "<h1>"; creates a.html\n',
  );
  expect(parseGoal(text).checks).toEqual([check]);
});

const line = fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== "" && !/[\n\r]/.test(text.trim()));
const nonEmpty = fc.string({ unit: "binary", minLength: 1, maxLength: 20 });
const pattern = fc.constantFrom("/^a\\/b$/im", "/[/\\]]+;/", "/\\n;\\u2028/s", "/(?:=> exit 1)/", '/"x";/g');
const expectation = fc
  .record(
    {
      exit: fc.integer({ min: 0, max: 255 }),
      stdoutContains: fc.array(nonEmpty, { minLength: 1, maxLength: 3 }),
      stdoutMatches: pattern,
      creates: fc.array(
        nonEmpty.filter((path) => path.trim() !== ""),
        { minLength: 1, maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  )
  .filter((expect) => Object.keys(expect).length > 0);
const text = fc.oneof(hostileMarkdown, line).filter((content) => content.trim() !== "");
const hard = fc.record({ text, command: line, expect: expectation, inPlace: fc.constant(true) }, { requiredKeys: ["text", "command"] });
const reason = fc.oneof(line, fc.constantFrom("needs [sudo]", "a] b", "\\] \\", "[[", "[cannot be verified here: x]"));
const check = fc.oneof(
  fc.record({ text }),
  hard,
  fc.tuple(hard, reason).map(([one, unverifiableReason]) => ({ ...one, unverifiableReason })),
  fc.record({ text, unverifiableReason: reason }),
);

const canonical = (one: Check): Check => ({
  ...one,
  text: tidy(one.text).trim(),
  ...(one.command === undefined ? {} : { command: one.command.trim() }),
  ...(one.unverifiableReason === undefined ? {} : { unverifiableReason: one.unverifiableReason.trim() }),
});

test("a goal reads back as it was, whatever its texts, in every language", () => {
  fc.assert(
    fc.property(hostileMarkdown, fc.array(check, { maxLength: 4 }), fc.constantFrom(...LANGUAGES), (statement, checks, language) => {
      expect(checks.flatMap(checkProblems)).toEqual([]);
      const goal = parseGoal(goalToMarkdown({ statement, checks }, language));
      expect(goal).toEqual(makeGoal(tidy(statement), checks.map(canonical)));
    }),
    runs(1_000),
  );
});

test("no string makes it throw", () => {
  fc.assert(
    fc.property(fc.oneof(hostileMarkdown, fc.string({ unit: "binary" })), (content) => {
      parseGoal(`# Goal\n${content}\n# Checklist\n${content}`);
    }),
    runs(1_000),
  );
});

describe("a file edited by hand", () => {
  const checks = (list: string) => parseGoal(`# Goal\ns\n\n# Checklist\n${list}`).checks;

  test.each([
    ["stars", "* a\n* b"],
    ["plus", "+ a\n+ b"],
    ["numbers", "1. a\n2. b"],
    ["brackets", "1) a\n2) b"],
    ["Chinese numbers", "1、a\n2、b"],
    ["task boxes", "- [ ] a\n- [x] b"],
    ["blank lines and indentation", "\n  - a\n\n  - b\n"],
    ["Windows line ends", "- a\r\n- b\r\n"],
  ])("%s", (_name, list) => {
    expect(checks(list)).toEqual([{ text: "a" }, { text: "b" }]);
  });

  test("deeper lists, code and lazy lines belong to the item they are in", () => {
    const list = "- a\n  - deeper\nlazy\n- b\n  ```sh\n  # Checklist\n  $ not a command\n  ```\n  $ npm test";
    expect(checks(list)).toEqual([
      { text: "a\n- deeper\nlazy" },
      { text: "b\n```sh\n# Checklist\n$ not a command\n```", command: "npm test" },
    ]);
  });

  test("code at the margin hides no items", () => {
    expect(checks("- a\n```\n- no item\n```\n- b")).toEqual([{ text: "a\n```\n- no item\n```" }, { text: "b" }]);
  });

  test("an expectation that is not understood stays in the text and is reported", () => {
    const goal = parseGoal("# Goal\ns\n# Checklist\n- a\n  $ x\n  => exti 1\n  => exit 2; stdout contians 3");
    expect(goal.checks).toEqual([{ text: "a\n=> exti 1\n=> exit 2; stdout contians 3", command: "x" }]);
    expect(goal.problems).toHaveLength(2);
    expect(goal.problems[0]).toContain("=> exti 1");
  });

  test.each([
    ["=> exit 256"],
    ["=> exit 1; exit 2"],
    ["=> stdout contains bare"],
    ['=> stdout contains "open'],
    ["=> stdout matches /(/"],
    ["=> exit 0 creates a"],
    ["=>"],
  ])("%s is not half understood", (expectationLine) => {
    expect(checks(`- a\n  $ x\n  ${expectationLine}`)[0]?.expect).toBeUndefined();
  });

  test("every form of an expectation", () => {
    const [one] = checks('- a\n  $ x\n  =>exit 3 ;stdout contains "a;b"; stdout matches /c;\\/d/i;  creates my file.txt; in place;');
    expect(one).toEqual({
      text: "a",
      command: "x",
      expect: { exit: 3, stdoutContains: ["a;b"], stdoutMatches: "/c;\\/d/i", creates: ["my file.txt"] },
      inPlace: true,
    });
  });
});

describe("the mark of what cannot be verified", () => {
  test.each([
    ["look at it [此环境无法验证:屏幕录制未授权]", "屏幕录制未授权"],
    ["look at it [此环境无法验证：屏幕录制未授权]", "屏幕录制未授权"],
    ["look at it [cannot be verified here: no [real] screen]", "no [real] screen"],
    ["look at it [Cannot be verified here：no screen]", "no screen"],
    ["[não verificável neste ambiente: sem tela] look at it", "sem tela"],
  ])("%s", (item, unverifiableReason) => {
    const goal = parseGoal(`# Goal\ns\n# Checklist\n- ${item}\n- other`);
    expect(goal.checks[0]).toEqual({ text: "look at it", unverifiableReason });
    expect(goal.unverifiable).toEqual([goal.checks[0]]);
  });
});

describe("a check that cannot be written is refused by name", () => {
  test.each<[string, Check]>([
    ["text is empty", { text: " " }],
    ["line break", { text: "a", command: "a\nb" }],
    ["line break", { text: "a", command: "a\rb" }],
    ["command is empty", { text: "a", command: " " }],
    ["needs a command", { text: "a", expect: { exit: 1 } }],
    ["needs a command", { text: "a", inPlace: true }],
    ["0 to 255", { text: "a", command: "x", expect: { exit: -1 } }],
    ["no regular expression", { text: "a", command: "x", expect: { stdoutMatches: "(" } }],
    ["every output contains", { text: "a", command: "x", expect: { stdoutContains: [""] } }],
    ["empty path", { text: "a", command: "x", expect: { creates: [" "] } }],
    ["one line", { text: "a", unverifiableReason: "a\nb" }],
    ["longer than", { text: "a", unverifiableReason: "a".repeat(2000) }],
  ])("%s", (words, one) => {
    expect(checkProblems(one).join(" ")).toContain(words);
    expect(() => goalToMarkdown({ statement: "s", checks: [one] }, "en")).toThrow(words);
  });
});

test("a pattern is a literal or a bare source", () => {
  expect(toPattern("/a/i")).toEqual(/a/i);
  expect(toPattern("^a/b$")).toEqual(/^a\/b$/);
  expect(toPattern("/usr/lib")).toEqual(/\/usr\/lib/);
  const written = goalToMarkdown({ statement: "s", checks: [{ text: "a", command: "x", expect: { stdoutMatches: "a/b" } }] }, "en");
  expect(parseGoal(written).checks[0]?.expect).toEqual({ stdoutMatches: "/a\\/b/" });
});
