import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { JsonSchema } from "../../core/schema.ts";
import { type Tool, type ToolContext, type ToolOutput, tool, toolOutput } from "../tool.ts";
import { showPath, splitGlob } from "./paths.ts";
import { refusal } from "./refusal.ts";
import { listFiles, ripgrep, withoutDot } from "./ripgrep.ts";
import { pathFor, type Toolset } from "./toolset.ts";

const MOST_PATHS = 100;

const DESCRIPTION = `Finds files by name pattern, the most recently changed first, at most ${MOST_PATHS}.
- Patterns as in "**/*.js", "src/**/*.{ts,tsx}". A pattern without a slash matches at any depth; "./*" lists one folder.
- Files that .gitignore names are left out.`;

const PARAMETERS = {
  type: "object",
  properties: {
    pattern: { type: "string", minLength: 1, description: "The pattern that file paths must match" },
    path: { type: "string", description: "The folder to search in; default the workspace" },
  },
  required: ["pattern"],
} satisfies JsonSchema;

interface GlobArgs {
  readonly pattern: string;
  readonly path?: string;
}

/** Lists files by pattern, never ignored ones. */
export function globTool(toolset: Toolset): Tool {
  return tool({
    name: "Glob",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    idempotent: true,
    execute: (args, context) => glob(args as unknown as GlobArgs, toolset, context),
  });
}

async function glob(args: GlobArgs, toolset: Toolset, context: ToolContext): Promise<ToolOutput> {
  const { folder, pattern } = splitGlob(args.pattern, args.path ?? ".");
  const target = await pathFor(folder, toolset, context);
  if (typeof target === "string") return refusal(target);
  // ripgrep's --glob also shows ignored files that match, so what matches is held against what is not ignored.
  const [matching, visible] = await Promise.all([
    ripgrep(["--files", "--sortr=modified", `--glob=${pattern.replace(/^\.\//, "/")}`], target.path, context.signal),
    listFiles(target.path, context.signal),
  ]);
  if (matching.exitCode === 2 && matching.lines.length === 0) return refusal(`Glob failed: ${matching.complaint}`);
  const found = matching.lines.map(withoutDot).filter((path) => visible.has(path));
  if (found.length === 0) return toolOutput(`No files match ${args.pattern} in ${target.shown}.`);
  const root = await realpath(toolset.roots.workspace);
  const shown = found.slice(0, MOST_PATHS).map((path) => showPath(join(target.path, path), root));
  if (found.length > MOST_PATHS) shown.push(`\n[The ${MOST_PATHS} newest of ${found.length}. Use a narrower pattern or path.]`);
  return toolOutput(shown.join("\n"));
}
