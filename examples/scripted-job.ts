import type { ScriptedReply } from "flower-agents/testing";
import { ScriptedEngine } from "flower-agents/testing";

/**
 * The model of these examples: scripted, so that they run without a key and without a network. With a model of yours leave the
 * `engine` out: it is found by FLOWER_MODEL or by the first key in the environment.
 */
export function scriptedJob(): ScriptedEngine {
  return new ScriptedEngine((request) => {
    const tools = request.tools.map((tool) => tool.name);
    const role = ["brief", "goal", "verdict"].find((name) => tools.includes(name)) ?? "work";
    const done = request.messages.filter((message) => message.role === "model").length;
    return LINES[role]?.[done] ?? "Nothing is left to do.";
  });
}

const LINES: Readonly<Record<string, readonly (ScriptedReply | string)[]>> = {
  brief: [
    { calls: [{ name: "mcp__human__ask", args: { question: "Which greeting?", options: ["Hello", "Good day"] } }] },
    {
      calls: [
        {
          name: "brief",
          args: { goal: "A file greeting.txt that greets.", criteria: "- greeting.txt greets", boundaries: "One file.", unknowns: "none" },
        },
      ],
    },
    "The brief is written.",
  ],
  goal: [
    {
      calls: [
        {
          name: "goal",
          args: {
            statement: "greeting.txt greets.",
            checks: [{ text: "greeting.txt says Hello", command: "cat greeting.txt", expect: { stdoutContains: ["Hello"] } }],
          },
        },
      ],
    },
    "The goal is set.",
  ],
  work: [
    { text: "I write the greeting.", calls: [{ name: "Write", args: { file_path: "greeting.txt", content: "Hello, world\n" } }] },
    "greeting.txt is written.",
  ],
  verdict: [
    { calls: [{ name: "Read", args: { file_path: "greeting.txt" } }] },
    {
      calls: [
        {
          name: "verdict",
          args: { checks: [{ number: 1, state: "passed", evidence: 'greeting.txt: "Hello, world"' }], reason: "The file greets." },
        },
      ],
    },
    "The verdict is in.",
  ],
};
