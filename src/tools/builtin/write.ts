import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { hasCode, replaceFile } from "../../core/files.ts";
import type { JsonSchema } from "../../core/schema.ts";
import { type Tool, type ToolContext, type ToolOutput, tool, toolOutput } from "../tool.ts";
import { loadFile } from "./file-content.ts";
import { linesOf } from "./numbered-lines.ts";
import type { ResolvedPath } from "./paths.ts";
import { refusal } from "./refusal.ts";
import { pathFor, type Toolset } from "./toolset.ts";

const DESCRIPTION = `Writes a file as a whole, replacing what is there. Missing folders are made.
- An existing file must have been read in this conversation, and not changed since.
- To change part of a file use Edit.`;

const PARAMETERS = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "The file to write, absolute or relative to the workspace" },
    content: { type: "string", description: "The file's whole new content" },
  },
  required: ["file_path", "content"],
} satisfies JsonSchema;

interface WriteArgs {
  readonly file_path: string;
  readonly content: string;
}

/** Replaces or makes a file in one step; never one that the session has not seen as it is now. */
export function writeTool(toolset: Toolset): Tool {
  return tool({
    name: "Write",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    parallel: false,
    async execute(args, context) {
      const { file_path, content } = args as unknown as WriteArgs;
      const target = await pathFor(file_path, toolset, context);
      if (typeof target === "string") return refusal(target);
      return toolset.locks.run(target.path, () => write(target, content, toolset, context));
    },
  });
}

async function write(target: ResolvedPath, content: string, toolset: Toolset, context: ToolContext): Promise<ToolOutput> {
  const existing = await loadFile(target.path);
  if (existing.kind === "folder") return refusal(`${target.shown} is a folder.`);
  if (existing.kind === "refused") return refusal(`${target.shown} cannot be written: ${existing.why}.`);
  const unseen = existing.kind === "file" ? staleText(existing.bytes, target, toolset, context) : undefined;
  if (unseen !== undefined) return refusal(unseen);
  const failure = await storeFile(target, content, toolset, context);
  if (failure !== undefined) return refusal(failure);
  const lines = linesOf(content).length;
  return toolOutput(`${existing.kind === "file" ? "Replaced" : "Created"} ${target.shown} (${lines} ${lines === 1 ? "line" : "lines"}).`);
}

/** Why this session may not overwrite the file's present content; undefined when it may. */
export function staleText(bytes: Buffer, target: ResolvedPath, toolset: Toolset, context: ToolContext): string | undefined {
  switch (toolset.reads.compare(context.sessionId, target.path, bytes)) {
    case "same":
      return undefined;
    case "unread":
      return `${target.shown} exists and has not been read in this conversation. Read it first, then change it.`;
    case "changed":
      return `${target.shown} has changed since it was read here (somebody or some command wrote it). Read it again, then change it.`;
  }
}

/** Replaces the file atomically and counts it as read. An existing file's mode is kept. A text says why it failed. */
export async function storeFile(
  target: ResolvedPath,
  content: string,
  toolset: Toolset,
  context: ToolContext,
): Promise<string | undefined> {
  context.signal.throwIfAborted();
  try {
    await checkWritable(target.path);
    await replaceFile(target.path, content);
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM", "EROFS"))
      return `${target.shown} cannot be written: the system denies it (read-only file or folder).`;
    if (hasCode(error, "ENOTDIR", "EEXIST")) return `${target.shown} cannot be written: a part of its path is a file, not a folder.`;
    if (hasCode(error, "ENOSPC", "EDQUOT")) return `${target.shown} cannot be written: the disk is full.`;
    if (hasCode(error, "ENAMETOOLONG")) return `${target.shown} cannot be written: the name is too long.`;
    throw error;
  }
  toolset.reads.record(context.sessionId, target.path, Buffer.from(content, "utf8"));
  return undefined;
}

/** A replacing rename would get past a file's own write protection. */
async function checkWritable(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}
