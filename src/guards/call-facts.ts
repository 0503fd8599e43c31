import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, normalize } from "node:path";
import type { Json } from "../core/json.ts";
import { summarizeCall } from "../messages/event.ts";
import type { CallPart } from "../messages/message.ts";
import { isWithin, type ResolvedPath, type Roots, resolvePath, splitGlob } from "../tools/builtin/paths.ts";
import { argsRecord } from "../tools/call.ts";
import { isGlance } from "./glance.ts";
import { changesOf, type ShellChange } from "./shell-changes.ts";
import { readShell, type ShellReading } from "./shell-nested.ts";

/** What a decision about a call is made from. Everything that needs the disk or a parser is in here. */
export interface CallFacts {
  readonly tool: string;
  /** The call in one line. */
  readonly summary: string;
  /** The workspace, free of symlinks. */
  readonly workspace: string;
  /** The paths that a file tool was given. */
  readonly paths: readonly FactPath[];
  readonly shell?: ShellFacts;
  /** Whose page is to be fetched. */
  readonly host?: string;
}

interface FactPath extends ResolvedPath {
  /** Absolute, as written: symlinks not followed. */
  readonly written: string;
}

interface ShellFacts {
  readonly command: string;
  /** Undefined when the command could not be parsed. */
  readonly reading?: ShellReading;
  /** Why it needs a look: what it does outside the roots, what is not known before it runs. */
  readonly concerns: readonly string[];
  /** It plainly writes files, by redirection. */
  readonly redirects: boolean;
  /** It is known to only look. Found out only where that makes a difference. */
  readonly isGlance: boolean;
}

export interface FactsWanted {
  /** Whether a command only looks. */
  readonly glance: boolean;
}

/** Gathers what there is to know about a call before it runs. */
export async function gatherFacts(call: Pick<CallPart, "name" | "args">, roots: Roots, wanted: FactsWanted): Promise<CallFacts> {
  const args = argsRecord(call.args);
  const workspace = await realpath(roots.workspace).catch(() => roots.workspace);
  const summary = call.name === "Agent" ? asText(args["subagent_type"]) : summarizeCall(call.args);
  const facts = { tool: call.name, summary, workspace, paths: [] };
  if (call.name === "WebFetch") return { ...facts, host: hostOf(asText(args["url"])) };
  if (call.name === "Bash") {
    const command = asText(args["command"]);
    return { ...facts, shell: { ...(await shellFacts(command, roots)), isGlance: wanted.glance && (await isGlance(command, roots)) } };
  }
  return { ...facts, paths: await factPaths(writtenPaths(call.name, args), roots) };
}

function writtenPaths(tool: string, args: Readonly<Record<string, Json>>): readonly string[] {
  switch (tool) {
    case "Read":
    case "Write":
    case "Edit":
      return [asText(args["file_path"])];
    case "Grep":
      return [asText(args["path"]) || "."];
    case "Glob":
      return [splitGlob(asText(args["pattern"]), asText(args["path"]) || ".").folder];
    default:
      return [];
  }
}

async function factPaths(written: readonly string[], roots: Roots): Promise<readonly FactPath[]> {
  const paths: FactPath[] = [];
  for (const one of written) {
    const resolved = await resolvePath(one, roots);
    // What is no path at all the tool refuses on its own.
    if (typeof resolved !== "string") paths.push({ ...resolved, written: normalize(isAbsolute(one) ? one : `${roots.workspace}/${one}`) });
  }
  return paths;
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : undefined; // what is no address the tool refuses on its own
}

async function shellFacts(command: string, roots: Roots): Promise<Omit<ShellFacts, "isGlance">> {
  const reading = await readShell(command);
  if (reading === undefined) return { command, concerns: ["it cannot be read as a shell command"], redirects: false };
  const concerns = [...reading.obscure];
  for (const change of changesOf(reading)) {
    const concern = await concernOf(change, roots);
    if (concern !== undefined) concerns.push(concern);
  }
  const redirects = reading.writes.some((write) => !isHarmlessDevice(write.target.value ?? ""));
  return { command, reading, concerns: [...new Set(concerns)], redirects };
}

/** Why a change of a path needs a look; undefined when it stays inside. New files in the system's temporary folder are fine. */
async function concernOf(change: ShellChange, roots: Roots): Promise<string | undefined> {
  const { target, kind, by } = change;
  const what = kind === "destroy" ? `"${by}" removes` : by === ">" ? "it writes" : `"${by}" writes`;
  const mustBeKnown = kind === "destroy" || by === ">";
  if (target.value === undefined)
    return mustBeKnown ? `${what} ${target.text}, which is not written out (name the path itself)` : undefined;
  if (isHarmlessDevice(target.value)) return undefined;
  const resolved = await changedPath(change, roots);
  if (resolved === undefined) return mustBeKnown ? `${what} ${target.text}, and where that is cannot be told` : undefined;
  if (resolved.inside) return undefined;
  if (kind !== "destroy" && isWithin(resolved.path, await realpath(tmpdir()))) return undefined;
  return `${what} outside the workspace: ${resolved.path}`;
}

export interface ChangedPath extends ResolvedPath {
  /** The rest of a pattern for file names below `path`; undefined when the path itself is meant. */
  readonly pattern?: string;
}

/** Where a change leads, when that can be told; of a pattern for file names, the folder before it and the rest. */
export async function changedPath(change: ShellChange, roots: Roots): Promise<ChangedPath | undefined> {
  const { target, cwd } = change;
  if (target.value === undefined) return undefined;
  const { folder, pattern } = target.isGlob ? splitAtPattern(target.value) : { folder: target.value, pattern: undefined };
  if (pattern?.split("/").includes("..")) return undefined;
  const isFixed = /^[/~]/.test(folder);
  if (!isFixed && cwd === undefined) return undefined;
  const resolved = await resolvePath(isFixed || cwd === "." ? folder : `${cwd}/${folder}`, roots);
  return typeof resolved === "string" ? undefined : { ...resolved, pattern };
}

function splitAtPattern(path: string): { readonly folder: string; readonly pattern: string } {
  const parts = path.split("/");
  const first = parts.findIndex((part) => /[*?[]/.test(part));
  const folder = parts.slice(0, first).join("/");
  return { folder: folder === "" ? (path.startsWith("/") ? "/" : ".") : folder, pattern: parts.slice(first).join("/") };
}

function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(path);
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
