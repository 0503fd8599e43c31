import type { JsonSchema } from "../../core/schema.ts";
import { type Tool, type ToolContext, type ToolOutput, tool, toolOutput } from "../tool.ts";
import { imageType, isBinary, loadFile } from "./file-content.ts";
import { nearNames } from "./near-names.ts";
import { linesOf, numberLine } from "./numbered-lines.ts";
import { type ResolvedPath, showPath } from "./paths.ts";
import { refusal } from "./refusal.ts";
import { pathFor, type Toolset } from "./toolset.ts";

const DEFAULT_LINES = 2_000;
const MOST_CHARS = 100_000;
/** Providers refuse larger ones. */
const MOST_IMAGE_BYTES = 3_750_000;

const DESCRIPTION = `Reads a file. Text comes with line numbers, as from \`cat -n\`; images (png, jpg, gif, webp) are shown.
- file_path may be absolute or relative to the workspace.
- Without offset and limit the first ${DEFAULT_LINES} lines are read. Very long lines are cut.
- It reads files, not folders: use Glob for those.
- A file must have been read before it can be changed with Edit or Write.`;

const PARAMETERS = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "The file to read" },
    offset: { type: "integer", minimum: 0, description: "The line to begin at, counted from 1; for files too long to read at once" },
    limit: { type: "integer", minimum: 1, description: "How many lines to read" },
  },
  required: ["file_path"],
} satisfies JsonSchema;

interface ReadArgs {
  readonly file_path: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Shows a file to the model and remembers that this session has seen it. */
export function readTool(toolset: Toolset): Tool {
  return tool({
    name: "Read",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    idempotent: true,
    execute: (args, context) => read(args as unknown as ReadArgs, toolset, context),
  });
}

async function read(args: ReadArgs, toolset: Toolset, context: ToolContext): Promise<ToolOutput> {
  const target = await pathFor(args.file_path, toolset, context);
  if (typeof target === "string") return refusal(target);
  const content = await loadFile(target.path);
  switch (content.kind) {
    case "missing":
      return refusal(await missingText(target, toolset));
    case "folder":
      return refusal(`${target.shown} is a folder. List it with Glob (pattern "./*", path "${target.shown}").`);
    case "refused":
      return refusal(`${target.shown} cannot be read: ${content.why}.`);
    case "file":
      toolset.reads.record(context.sessionId, target.path, content.bytes);
      return show(content.bytes, target, args);
    default:
      return content satisfies never;
  }
}

function show(bytes: Buffer, target: ResolvedPath, args: ReadArgs): ToolOutput {
  const mediaType = imageType(bytes);
  if (mediaType !== undefined) {
    if (bytes.length > MOST_IMAGE_BYTES)
      return refusal(`The image ${target.shown} has ${bytes.length} bytes; at most ${MOST_IMAGE_BYTES} can be shown.`);
    return toolOutput([{ type: "image", mediaType, data: bytes.toString("base64") }]);
  }
  if (isBinary(bytes))
    return refusal(`${target.shown} is a binary file (${bytes.length} bytes), not text. Look at it with a program, by Bash.`);
  return showText(bytes.toString("utf8").replace(/^\uFEFF/, ""), target, args);
}

function showText(text: string, target: ResolvedPath, args: ReadArgs): ToolOutput {
  const lines = linesOf(text);
  if (lines.length === 0) return toolOutput(`${target.shown} is empty.`);
  const first = Math.max(1, args.offset ?? 1);
  if (first > lines.length) return refusal(`${target.shown} has ${lines.length} lines; there is no line ${first}.`);
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines.slice(first - 1, first - 1 + (args.limit ?? DEFAULT_LINES))) {
    const numbered = numberLine(line, first + shown.length);
    chars += numbered.length + 1;
    if (chars > MOST_CHARS) break;
    shown.push(numbered);
  }
  const next = first + shown.length;
  const rest = lines.length - next + 1;
  if (rest > 0 && args.limit !== shown.length) shown.push(`\n[${rest} more lines of ${lines.length}. Go on with offset ${next}.]`);
  return toolOutput(shown.join("\n"));
}

/** Says that a file is missing, and which like-named ones exist. */
export async function missingText(target: ResolvedPath, toolset: Toolset): Promise<string> {
  const near = await nearNames(target.path);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.map((path) => showPath(path, toolset.roots.workspace)).join(" or ")}?`;
  return `${target.shown} does not exist.${hint}`;
}
