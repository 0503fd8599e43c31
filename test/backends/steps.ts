import type { ScriptedReply } from "../../src/engines/scripted.ts";
import { type Message, type ResultPart, resultText } from "../../src/messages/message.ts";
import { type Tool, tool } from "../../src/tools/tool.ts";

/** A tool with an effect: it notes each number it is called with. A number in `hangs` never comes back, deaf to every signal. */
export function stepTool(done: number[], hangs: ReadonlySet<number> = new Set()): Tool {
  return tool({
    name: "step",
    description: "Does a step.",
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    async execute(args) {
      const n = Number(args["n"]);
      if (hangs.has(n)) return new Promise<never>(() => {});
      done.push(n);
      return `step ${n} done`;
    },
  });
}

/** A reply that asks for these steps. */
export function steps(...numbers: readonly number[]): ScriptedReply {
  return { text: `doing ${numbers.join(" and ")}`, calls: numbers.map((n) => ({ name: "step", args: { n } })) };
}

/** `user: go`, `model: doing 1 [step]`, `tool: step 1 done`: a history as one reads it. */
export function inShort(history: readonly Message[]): string[] {
  return history.map((message) => `${message.role}: ${message.parts.map(partInShort).join(", ")}`);
}

function partInShort(part: Message["parts"][number]): string {
  if (part.type === "call") return `[${part.name}]`;
  if (part.type === "result") return resultInShort(part);
  return part.type === "text" ? part.text : part.type;
}

function resultInShort(result: ResultPart): string {
  return resultText(result.content).startsWith("Interrupted before") ? "INTERRUPTED" : resultText(result.content);
}
