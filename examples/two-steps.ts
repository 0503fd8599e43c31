import { Agent, requestOf, Step, Workflow, type WorkflowSetup } from "flower-agents";
import { ScriptedEngine } from "flower-agents/testing";

/** Run it: `flower run examples/two-steps.ts "A page about chairs"`. Two steps: what belongs on the page, then the page itself. */
export default function twoSteps({ channel }: WorkflowSetup): Workflow {
  const outline = new Step("outline", {
    agent: new Agent({ name: "planner", engine: scripted(), tools: [...channel.tools] }),
    prompt: (ctx) => `${requestOf(ctx)}\n\nName the parts of it, separated by commas.`,
    reduce: ({ text }) => text.split(",").map((part) => part.trim()),
  });
  const page = new Step("page", {
    agent: new Agent({ name: "writer", engine: scripted(), tools: ["Write"], permissions: { mode: "acceptEdits" } }),
    prompt: (ctx) => `Write page.md with one heading for each of these: ${(ctx["outline"] as readonly string[]).join("; ")}`,
  });
  return new Workflow([outline, page], { name: "two-steps" });
}

/** In place of a model, so that the example runs without a key. With a model of yours leave `engine` out. */
function scripted(): ScriptedEngine {
  return new ScriptedEngine(({ tools, messages }) => {
    if (!tools.some((tool) => tool.name === "Write")) return "Seats, Legs";
    if (messages.at(-1)?.role === "tool") return "page.md is written.";
    return { calls: [{ name: "Write", args: { file_path: "page.md", content: "# Seats\n\n# Legs\n" } }] };
  });
}
