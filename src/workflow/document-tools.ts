import { type Tool, tool, toolOutput } from "../tools/tool.ts";

/** What a model handed in through a tool call, by session: a workflow can run twice without leftovers of the first run. */
export class HandedIn<T> {
  readonly #bySession = new Map<string, T>();

  /** Takes what a session handed in; the second time there is nothing. */
  take(sessionId: string): T | undefined {
    const value = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    return value;
  }

  put(sessionId: string, value: T): void {
    this.#bySession.set(sessionId, value);
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
        return toolOutput(`Not accepted: ${read.join("; ")}. Correct it and call ${options.name} again.`, { isError: true });
      options.into.put(context.sessionId, read as T);
      return "Accepted.";
    },
  });
}
