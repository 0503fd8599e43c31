import { callsOf } from "../messages/message.ts";
import { type Tool, type ToolContext, tool, toolOutput } from "../tools/tool.ts";

/** What a model handed in through a tool call, by session: a workflow can run twice without leftovers of the first run. */
export class HandedIn<T> {
  readonly #bySession = new Map<string, { readonly value: T; readonly callId: string }>();

  /** Takes what a session handed in; the second time there is nothing. */
  take(sessionId: string): T | undefined {
    const handedIn = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    return handedIn?.value;
  }

  /** Keeps what a call hands in. A later reply may correct an earlier one; a second call in one reply is false: refused. */
  put(value: T, { sessionId, callId, history }: Pick<ToolContext, "sessionId" | "callId" | "history">): boolean {
    const earlier = this.#bySession.get(sessionId)?.callId;
    const reply = history.findLast((message) => message.role === "model");
    if (reply && earlier !== callId && callsOf(reply).some((call) => call.callId === earlier)) return false;
    this.#bySession.set(sessionId, { value, callId });
    return true;
  }
}

export interface DocumentToolOptions<T> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters<typeof tool>[0]["parameters"];
  /** The document, or the problems that the model should mend. */
  readonly read: (args: unknown) => T | readonly string[];
  readonly into: HandedIn<T>;
}

/** A tool by which a model hands in a document with a schema. What is wrong comes back as an error it can mend. */
export function documentTool<T extends object>(options: DocumentToolOptions<T>): Tool {
  return tool({
    name: options.name,
    description: options.description,
    parameters: options.parameters,
    idempotent: true,
    parallel: false,
    execute(args, context) {
      const read = options.read(args);
      if (Array.isArray(read))
        return toolOutput(
          `Not accepted: ${read.map((why) => why.replace(/\.+$/, "")).join("; ")}. Correct it and call ${options.name} again.`,
          { isError: true },
        );
      if (options.into.put(read as T, context)) return "Accepted.";
      return toolOutput(`Not accepted: a ${options.name} was already handed in in this reply; that one counts.`, { isError: true });
    },
  });
}
