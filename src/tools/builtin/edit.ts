import type { JsonSchema } from "../../core/schema.ts";
import { type Tool, type ToolContext, type ToolOutput, tool, toolOutput } from "../tool.ts";
import { isBinary, loadFile, strictText } from "./file-content.ts";
import { snippet } from "./numbered-lines.ts";
import type { ResolvedPath } from "./paths.ts";
import { missingText } from "./read.ts";
import { refusal } from "./refusal.ts";
import { replaceText } from "./replace-text.ts";
import { pathFor, type Toolset } from "./toolset.ts";
import { staleText, storeFile } from "./write.ts";

const DESCRIPTION = `Replaces an exact piece of text in a file.
- The file must have been read in this conversation, and not changed since.
- old_string must be exactly what the file holds (indentation included, without Read's line numbers) and stand at one place only: add lines around it until it does, or set replace_all to replace every occurrence.`;

const PARAMETERS = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "The file to change, absolute or relative to the workspace" },
    old_string: { type: "string", description: "The text to replace" },
    new_string: { type: "string", description: "What to put in its place" },
    replace_all: { type: "boolean", description: "Replace every occurrence (default false)" },
  },
  required: ["file_path", "old_string", "new_string"],
} satisfies JsonSchema;

interface EditArgs {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** Changes a piece of a file that the session has seen as it is now. Line ends, encoding and mode are kept. */
export function editTool(toolset: Toolset): Tool {
  return tool({
    name: "Edit",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    parallel: false,
    async execute(args, context) {
      const edit = args as unknown as EditArgs;
      const target = await pathFor(edit.file_path, toolset, context);
      if (typeof target === "string") return refusal(target);
      return toolset.locks.run(target.path, () => applyEdit(target, edit, toolset, context));
    },
  });
}

async function applyEdit(target: ResolvedPath, edit: EditArgs, toolset: Toolset, context: ToolContext): Promise<ToolOutput> {
  const existing = await loadFile(target.path);
  if (existing.kind === "missing") return refusal(`${await missingText(target, toolset)} Use Write to make a new file.`);
  if (existing.kind === "folder") return refusal(`${target.shown} is a folder.`);
  if (existing.kind === "refused") return refusal(`${target.shown} cannot be edited: ${existing.why}.`);
  const stale = staleText(existing.bytes, target, toolset, context);
  if (stale !== undefined) return refusal(stale);
  const text = isBinary(existing.bytes) ? undefined : strictText(existing.bytes);
  if (text === undefined)
    return refusal(`${target.shown} is not UTF-8 text; editing it here would damage it. Change it with a program, by Bash.`);
  const replaced = replaceText(text, edit.old_string, edit.new_string, edit.replace_all ?? false);
  if (!replaced.ok) return refusal(`${target.shown} was not changed: ${replaced.why}`);
  const failure = await storeFile(target, replaced.text, toolset, context);
  if (failure !== undefined) return refusal(failure);
  const places = replaced.count === 1 ? "" : ` at ${replaced.count} places; the first`;
  return toolOutput(`Changed ${target.shown}${places}:\n${snippet(replaced.text, replaced.start, replaced.end)}`);
}
