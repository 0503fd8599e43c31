import type { JsonSchema } from "../../core/schema.ts";
import { makeEvent } from "../../messages/event.ts";
import { type Tool, type ToolContext, tool } from "../tool.ts";

const DESCRIPTION = `Writes your list of steps, in place of the last one. Use it for work of three steps or more, so that you and the person see how far it is.
- Give the whole list each time. Exactly one item is in_progress while you work; set an item to completed as soon as it is.
- content says what is to be done ("Write the parser"), activeForm what is being done ("Writing the parser").`;

const PARAMETERS = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      items: {
        type: "object",
        properties: {
          content: { type: "string", minLength: 1 },
          status: { type: "string", enum: ["pending", "in_progress", "completed"] },
          activeForm: { type: "string" },
        },
        required: ["content", "status"],
      },
    },
  },
  required: ["todos"],
} satisfies JsonSchema;

/** One step of an agent's own list. */
export interface Todo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly activeForm?: string;
}

/** Takes an agent's list of steps and shows it as a `task` event of type `progress`; the list itself lives in the conversation. */
export function todoWriteTool(): Tool {
  return tool({
    name: "TodoWrite",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    idempotent: true,
    parallel: false,
    execute: (args, context) => writeTodos((args as unknown as { readonly todos: readonly Todo[] }).todos, context),
  });
}

function writeTodos(todos: readonly Todo[], context: ToolContext): string {
  const done = todos.filter((todo) => todo.status === "completed").length;
  const current = todos.find((todo) => todo.status === "in_progress");
  const text = `${done}/${todos.length}${current === undefined ? "" : ` ${current.activeForm ?? current.content}`}`;
  const subagent = context.path.length > 1 ? { subagent: context.agent } : {};
  const data = { todos: todos.map(({ content, status, activeForm = content }) => ({ content, status, activeForm })) };
  context.emit(makeEvent("task", text, { type: "progress", ...subagent, data }));
  return `The list is kept: ${done} of ${todos.length} done.${current === undefined && done < todos.length ? " Nothing is in progress." : ""}`;
}
