import type { ScriptedReply } from "../../engines/scripted.ts";
import { converterWithoutLists, LIST_SUPPORT, SAMPLE } from "./files.ts";

/** What the scripted model sees of a request, whichever way it came. */
export interface DemoView {
  /** Names of the tools on offer: they tell the role. */
  readonly tools: readonly string[];
  /** The model's replies in this session so far. */
  readonly replies: number;
  /** Texts of the newest tool results. */
  readonly results: readonly string[];
  /** The newest user message. */
  readonly prompt: string;
}

/**
 * The model of the demo: a clarifier that asks one question, a goal-setter, a worker that first forgets the lists and says it
 * is done, and a judge that quotes what it really read. A pure function of the session, so that any wire format can carry it.
 */
export function demoReply(view: DemoView): ScriptedReply {
  const lines = view.tools.includes("brief")
    ? clarifier(view)
    : view.tools.includes("goal")
      ? goalSetter()
      : view.tools.includes("verdict")
        ? judge(view)
        : worker(view);
  return lines[view.replies] ?? { text: "Nothing is left to do." };
}

const PASSED = "HTML inside the Markdown is passed through, as the person wants.";
const ESCAPE = "Escape it (& < > become entities)";

function clarifier(view: DemoView): readonly ScriptedReply[] {
  const answer = view.results.at(-1) ?? "";
  const escapes = !answer.includes("Pass it through");
  return [
    { text: "I look at what is there first.", calls: [{ name: "Glob", args: { pattern: "**/*" } }] },
    {
      text: "The folder is empty, so one thing is open that changes the work.",
      calls: [
        {
          name: "mcp__human__ask",
          args: {
            question: "How should HTML that stands in the Markdown text be treated?",
            options: [ESCAPE, "Pass it through unchanged"],
          },
        },
      ],
    },
    {
      calls: [
        {
          name: "brief",
          args: {
            goal: "A converter from Markdown to HTML in plain JavaScript: `node conv.js file.md` writes `file.html` beside the source. Headings, paragraphs, lists and code blocks work.",
            criteria:
              "- `node conv.js sample.md` ends with exit code 0 and writes sample.html\n- a `#` heading becomes `<h1>`\n- a `-` list becomes `<ul>` with `<li>` items\n- a fenced block becomes `<pre><code>`",
            boundaries: "No dependencies. One file, conv.js, and a sample.md to try it with.",
            unknowns: escapes ? "HTML inside the Markdown is escaped, as answered or assumed." : PASSED,
          },
        },
      ],
    },
    { text: "The brief is written." },
  ];
}

function goalSetter(): readonly ScriptedReply[] {
  return [
    { text: "I look at what can be run here.", calls: [{ name: "Glob", args: { pattern: "**/*" } }] },
    {
      calls: [
        {
          name: "goal",
          args: {
            statement: "conv.js turns Markdown into HTML: headings, paragraphs, lists, code blocks.",
            checks: [
              {
                text: "Running conv.js on sample.md writes sample.html",
                command: "node conv.js sample.md",
                expect: { creates: ["sample.html"] },
              },
              {
                text: "A # heading becomes an <h1>",
                command: "node conv.js sample.md && cat sample.html",
                expect: { stdoutContains: ["<h1>"] },
              },
              {
                text: "A - list becomes a <ul> with <li> items",
                command: "node conv.js sample.md && cat sample.html",
                expect: { stdoutContains: ["<ul>", "<li>"] },
              },
              { text: "sample.html shows a fenced block as <pre><code>" },
            ],
          },
        },
      ],
    },
    { text: "The goal is set." },
  ];
}

function worker(view: DemoView): readonly ScriptedReply[] {
  const html = view.results.some((text) => text.includes(PASSED)) ? "pass" : "escape"; // it has just read the brief
  return [
    { text: "I read the brief and write the converter.", calls: [{ name: "Read", args: { file_path: ".flower/notes/brief.md" } }] },
    {
      calls: [
        { name: "Write", args: { file_path: "sample.md", content: SAMPLE } },
        { name: "Write", args: { file_path: "conv.js", content: converterWithoutLists(html) } },
      ],
    },
    { calls: [{ name: "Bash", args: { command: "node conv.js sample.md && ls -l", description: "Convert the sample" } }] },
    { text: "conv.js is done: headings, paragraphs, lists and code blocks are converted. Made: conv.js, sample.md, sample.html." },
    { text: "Right: a list comes out as a paragraph. I add lists.", calls: [{ name: "Read", args: { file_path: "conv.js" } }] },
    { calls: [{ name: "Edit", args: { file_path: "conv.js", old_string: LIST_SUPPORT.before, new_string: LIST_SUPPORT.after } }] },
    { calls: [{ name: "Bash", args: { command: "node conv.js sample.md && cat sample.html", description: "Convert the sample again" } }] },
    { text: "Lists are converted now; I ran the sample and saw `<ul>` and `<li>` in sample.html. Changed: conv.js." },
  ];
}

function judge(view: DemoView): readonly ScriptedReply[] {
  const html = view.results.at(-1) ?? "";
  const quote = (part: string) =>
    html
      .split("\n")
      .find((line) => line.includes(part))
      ?.replace(/^\s*\d+\t/, "") ?? "";
  const check = (number: number, parts: readonly string[]) => {
    const seen = parts.map(quote);
    const passed = seen.every((line) => line !== "");
    return {
      number,
      state: passed ? "passed" : "failed",
      evidence: passed
        ? `sample.html: ${seen.join(" … ")}`
        : `sample.html has no ${parts.join(" or ")}; the list items stand in a paragraph`,
    };
  };
  const checks = [check(1, ["<"]), check(2, ["<h1>"]), check(3, ["<ul>", "<li>"]), check(4, ["<pre><code>"])];
  const failed = checks.filter((item) => item.state === "failed");
  const reason =
    failed.length === 0 ? "Every check holds in sample.html itself." : "The report says lists work; sample.html shows that they do not.";
  return [
    { text: "I take no report for granted. I look at the file.", calls: [{ name: "Read", args: { file_path: "sample.html" } }] },
    { calls: [{ name: "verdict", args: { checks, reason } }] },
    { text: "The verdict is in." },
  ];
}
