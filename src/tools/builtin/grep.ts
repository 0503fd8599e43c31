import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { JsonSchema } from "../../core/schema.ts";
import { clip } from "../../messages/event.ts";
import { type Tool, type ToolContext, type ToolOutput, tool, toolOutput } from "../tool.ts";
import { type ResolvedPath, showPath } from "./paths.ts";
import { refusal } from "./refusal.ts";
import { listFiles, ripgrep, withoutDot } from "./ripgrep.ts";
import { pathFor, type Toolset } from "./toolset.ts";

const DEFAULT_HEAD_LIMIT = 250;
const MOST_CHARS = 30_000;
const MOST_LINE_CHARS = 500;

const DESCRIPTION = `Searches file contents with ripgrep.
- pattern is a regular expression in ripgrep's (Rust's) syntax: escape braces and parentheses that are meant literally.
- output_mode: "files_with_matches" (default; newest first), "content" (the lines, with numbers) or "count".
- Files that .gitignore names and binary files are left out.`;

const PARAMETERS = {
  type: "object",
  properties: {
    pattern: { type: "string", minLength: 1, description: "The regular expression" },
    path: { type: "string", description: "The file or folder to search; default the workspace" },
    glob: { type: "string", description: 'Only files that match, e.g. "*.js" or "src/**/*.{ts,tsx}"' },
    type: { type: "string", description: "Only files of a type ripgrep knows, e.g. js, py, rust, go" },
    output_mode: { type: "string", enum: ["content", "files_with_matches", "count"] },
    "-i": { type: "boolean", description: "Ignore case" },
    "-n": { type: "boolean", description: "Line numbers in content mode (default true)" },
    "-A": { type: "integer", minimum: 0, description: "Lines of context after each match (content mode)" },
    "-B": { type: "integer", minimum: 0, description: "Lines of context before each match (content mode)" },
    "-C": { type: "integer", minimum: 0, description: "Lines of context around each match (content mode)" },
    head_limit: {
      type: "integer",
      minimum: 0,
      description: `Only the first N lines or files (default ${DEFAULT_HEAD_LIMIT}; 0: no limit)`,
    },
    multiline: { type: "boolean", description: "Matches may span lines, and . matches line ends" },
  },
  required: ["pattern"],
} satisfies JsonSchema;

interface GrepArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly type?: string;
  readonly output_mode?: "content" | "files_with_matches" | "count";
  readonly "-i"?: boolean;
  readonly "-n"?: boolean;
  readonly "-A"?: number;
  readonly "-B"?: number;
  readonly "-C"?: number;
  readonly head_limit?: number;
  readonly multiline?: boolean;
}

/** Searches contents, never those of ignored files. */
export function grepTool(toolset: Toolset): Tool {
  return tool({
    name: "Grep",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    idempotent: true,
    execute: (args, context) => grep(args as unknown as GrepArgs, toolset, context),
  });
}

async function grep(args: GrepArgs, toolset: Toolset, context: ToolContext): Promise<ToolOutput> {
  const target = await pathFor(args.path ?? ".", toolset, context);
  if (typeof target === "string") return refusal(target);
  const info = await stat(target.path).catch(() => undefined);
  if (info === undefined) return refusal(`${target.shown} does not exist.`);
  if (!info.isFile() && !info.isDirectory()) return refusal(`${target.shown} is not a regular file or folder.`);
  const folder = info.isFile() ? dirname(target.path) : target.path;
  const found = await ripgrep(toFlags(args), folder, context.signal, info.isFile() ? basename(target.path) : "");
  if (found.exitCode === 2 && found.lines.length === 0) return refusal(`Grep failed: ${found.complaint}`);
  // A --glob of ripgrep's also lets ignored files in.
  const visible = args.glob !== undefined && info.isDirectory() ? await listFiles(folder, context.signal) : undefined;
  const show = await pathShower(folder, toolset);
  const lines = found.lines
    .map((line) => splitLine(line, args))
    .filter((line) => visible === undefined || line.path === undefined || visible.has(line.path));
  return limited(
    lines.map((line) => formatLine(line, args, show)),
    args,
    target,
  );
}

function modeOf(args: GrepArgs): NonNullable<GrepArgs["output_mode"]> {
  return args.output_mode ?? "files_with_matches";
}

function toFlags(args: GrepArgs): readonly string[] {
  const flags = ["--with-filename", "--no-heading", `--regexp=${args.pattern}`];
  const mode = modeOf(args);
  if (mode === "files_with_matches") flags.push("--files-with-matches", "--sortr=modified");
  else flags.push("--null", "--sort=path");
  if (mode === "count") flags.push("--count");
  if (mode === "content") {
    flags.push(args["-n"] === false ? "--no-line-number" : "--line-number");
    if (args["-A"] !== undefined) flags.push(`--after-context=${args["-A"]}`);
    if (args["-B"] !== undefined) flags.push(`--before-context=${args["-B"]}`);
    if (args["-C"] !== undefined) flags.push(`--context=${args["-C"]}`);
  }
  if (args["-i"]) flags.push("--ignore-case");
  if (args.multiline) flags.push("--multiline", "--multiline-dotall");
  if (args.type !== undefined) flags.push(`--type=${args.type}`);
  if (args.glob !== undefined) for (const glob of args.glob.split(/\s+/).filter(Boolean)) flags.push(`--glob=${glob}`);
  return flags;
}

interface FoundLine {
  /** Undefined on the separator between groups of context lines. */
  readonly path?: string;
  readonly rest: string;
}

/** A line of files is a path; in the other modes a NUL stands after the path. */
function splitLine(line: string, args: GrepArgs): FoundLine {
  if (modeOf(args) === "files_with_matches") return { path: withoutDot(line), rest: "" };
  const end = line.indexOf("\0");
  if (end === -1) return { rest: line };
  return { path: withoutDot(line.slice(0, end)), rest: line.slice(end + 1) };
}

type ShowPath = (path: string) => string;

async function pathShower(folder: string, toolset: Toolset): Promise<ShowPath> {
  const workspace = await realpath(toolset.roots.workspace);
  return (path) => showPath(join(folder, path), workspace);
}

function formatLine(line: FoundLine, args: GrepArgs, show: ShowPath): string {
  if (line.path === undefined) return line.rest;
  if (modeOf(args) === "files_with_matches") return show(line.path);
  const separator = modeOf(args) === "content" && /^\d+-/.test(line.rest) ? "-" : ":";
  const text = line.rest.length > MOST_LINE_CHARS ? `${clip(line.rest, MOST_LINE_CHARS)} … [line cut]` : line.rest;
  return `${show(line.path)}${separator}${text}`;
}

function limited(lines: readonly string[], args: GrepArgs, target: ResolvedPath): ToolOutput {
  if (lines.length === 0) return toolOutput(`No matches for ${args.pattern} in ${target.shown}.`);
  const limit = args.head_limit ?? DEFAULT_HEAD_LIMIT;
  const shown: string[] = [];
  let chars = 0;
  for (const line of limit === 0 ? lines : lines.slice(0, limit)) {
    chars += line.length + 1;
    if (chars > MOST_CHARS) break;
    shown.push(line);
  }
  if (shown.length < lines.length) shown.push(`\n[The first ${shown.length} of ${lines.length}. Narrow the search, or raise head_limit.]`);
  return toolOutput(shown.join("\n"));
}
