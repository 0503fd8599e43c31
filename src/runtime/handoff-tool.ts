import { HANDOFF_TOOL } from "../guards/whitelist.ts";
import type { CallGuard } from "../tools/call.ts";
import { type Tool, tool, toolOutput } from "../tools/tool.ts";
import type { HandoffDocument } from "../workbench/handoff-document.ts";

const SCHEMA = {
  type: "object",
  properties: {
    doing: { type: "string", description: "What you are working on and how far it is: done, half done, untouched." },
    decided: { type: "string", description: "Decisions that hold, each with its reason. Also what the person said." },
    dead_ends: { type: "string", description: "What you tried that does not work, so that nobody tries it again." },
    next: { type: "string", description: "The next steps, in order, concrete enough to begin at once." },
    scene: { type: "array", items: { type: "string" }, description: "Paths of the files that matter, one each. Paths, not contents." },
  },
  required: ["doing", "next"],
  additionalProperties: false,
} as const;

/** What a session handed in, with the scene still as a list of paths. */
export interface HandedOver extends Omit<Partial<HandoffDocument>, "scene"> {
  readonly scene: readonly string[];
}

/**
 * The tool by which a session whose context is full leaves its document. It is offered from the start, so that asking for it
 * does not change the request's beginning, which providers cache; it works only while the document is being asked for.
 */
export class HandoffDesk {
  readonly tool: Tool;
  /** While the document is written nothing else is done. */
  readonly guard: CallGuard;
  #isOpen = false;
  #handedIn: HandedOver | undefined;

  constructor() {
    this.tool = tool({
      name: HANDOFF_TOOL,
      description: "Leaves what a fresh session needs to take over this work. Call it only when the runtime asks you to.",
      parameters: SCHEMA,
      idempotent: true,
      parallel: false,
      execute: (args: unknown) => this.#take(args as HandoffArgs), // the schema has seen to it
    });
    this.guard = {
      before: (call) =>
        this.#isOpen && call.name !== HANDOFF_TOOL
          ? `The context is full: only ${HANDOFF_TOOL} can be called now. The session that takes over does the rest.`
          : undefined,
    };
  }

  get handedIn(): HandedOver | undefined {
    return this.#handedIn;
  }

  open(): void {
    this.#isOpen = true;
    this.#handedIn = undefined;
  }

  close(): void {
    this.#isOpen = false;
  }

  #take({ doing, decided, dead_ends: deadEnds, next, scene = [] }: HandoffArgs) {
    if (!this.#isOpen)
      return toolOutput("Not now. The runtime asks for it when the context is full; go on with the work.", { isError: true });
    const empty = [...(doing.trim() === "" ? ["doing"] : []), ...(next.trim() === "" ? ["next"] : [])];
    if (empty.length > 0) return toolOutput(`Not accepted: ${empty.join(" and ")} must not be empty.`, { isError: true });
    this.#handedIn = { doing, decided, deadEnds, next, scene };
    return "Accepted.";
  }
}

interface HandoffArgs {
  readonly doing: string;
  readonly decided?: string;
  readonly dead_ends?: string;
  readonly next: string;
  readonly scene?: readonly string[];
}
