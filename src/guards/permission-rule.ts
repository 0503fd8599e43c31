import type { CallFacts } from "./call-facts.ts";
import { allowsCommand, catchesCommand, isEverything, type Match } from "./command-pattern.ts";
import { matchesPath } from "./path-pattern.ts";

/** A rule in its two halves: `Bash(git push:*)` → `Bash`, `git push:*`; a bare tool name has no pattern. */
interface Rule {
  readonly tool: string;
  readonly pattern: string;
}

function parseRule(text: string): Rule {
  const match = /^([^()]+)\(([\s\S]*)\)$/.exec(text.trim());
  return match ? { tool: (match[1] as string).trim(), pattern: match[2] as string } : { tool: text.trim(), pattern: "" };
}

/** Exact names, `*` at the end as in `mcp__server__*`, or `mcp__server` for all of a server's tools. */
export function matchesTool(pattern: string, tool: string): boolean {
  if (pattern === tool || pattern === "*") return true;
  if (pattern.endsWith("*")) return tool.startsWith(pattern.slice(0, -1));
  return /^mcp__[^_]+(?:_[^_]+)*$/.test(pattern) && tool.startsWith(`${pattern}__`);
}

/** Rules for one tool that hold for others too: who may not read or edit a file may not do it by another name. */
const COVERS: Readonly<Record<string, readonly string[]>> = { Edit: ["Write"], Read: ["Grep", "Glob"] };

function coversTool(rule: Rule, tool: string): boolean {
  return matchesTool(rule.tool, tool) || (rule.pattern !== "" && (COVERS[rule.tool]?.includes(tool) ?? false));
}

/** Whether a rule that asks or denies catches a call: any path, any command in it, in any form. */
export function catchesCall(text: string, facts: CallFacts): Match {
  const rule = parseRule(text);
  if (!coversTool(rule, facts.tool)) return "no";
  if (isEverything(rule.pattern)) return "yes";
  if (isDomain(rule)) return matchesDomain(rule, facts.host, "broad") ? "yes" : "no";
  if (facts.shell) return strongest((facts.shell.reading?.allForms ?? []).map((form) => catchesCommand(rule.pattern, form)));
  if (facts.paths.length > 0) {
    const hit = facts.paths.some(({ path, written }) => [path, written].some((one) => matchesPath(rule.pattern, one, facts.workspace)));
    return hit ? "yes" : "no";
  }
  return matchesPath(`/${rule.pattern}`, `/${facts.summary}`, "/") ? "yes" : "no";
}

/** Whether a rule that allows covers a whole call: every path, every command as it stands. */
export function allowsCall(text: string, facts: CallFacts): boolean {
  const rule = parseRule(text);
  if (!coversTool(rule, facts.tool)) return false;
  if (isEverything(rule.pattern)) return true;
  if (isDomain(rule)) return matchesDomain(rule, facts.host, "strict");
  if (facts.shell) return facts.shell.reading?.commands.every((command) => allowsCommand(rule.pattern, command)) ?? false;
  if (facts.paths.length > 0) return facts.paths.every(({ path }) => matchesPath(rule.pattern, path, facts.workspace));
  return matchesPath(`/${rule.pattern}`, `/${facts.summary}`, "/");
}

const DOMAIN = "domain:";

function isDomain({ tool, pattern }: Rule): boolean {
  return tool === "WebFetch" && pattern.startsWith(DOMAIN);
}

/** `domain:example.com` is this host, or with `*.` before it those below; whoever asks or denies means both. */
function matchesDomain({ pattern }: Rule, host: string | undefined, reading: "broad" | "strict"): boolean {
  const wanted = pattern.slice(DOMAIN.length).trim().toLowerCase();
  if (host === undefined || wanted === "*") return host !== undefined;
  const domain = wanted.replace(/^\*\./, "");
  const isBelow = host.endsWith(`.${domain}`);
  if (reading === "broad") return host === domain || isBelow;
  return wanted === domain ? host === domain : isBelow;
}

/** Whether each command of a script is allowed by some rule. */
export function allowsShell(rules: readonly string[], facts: CallFacts): boolean {
  const own = rules.map(parseRule).filter((rule) => coversTool(rule, facts.tool));
  const commands = facts.shell?.reading?.commands ?? [];
  return commands.length > 0 && commands.every((command) => own.some((rule) => allowsCommand(rule.pattern, command)));
}

/** A rule names this very command line, character by character: somebody has looked at it. */
export function namesWholeCommand(rules: readonly string[], facts: CallFacts): boolean {
  const command = facts.shell?.command.trim();
  return command !== undefined && rules.map(parseRule).some((rule) => rule.tool === facts.tool && rule.pattern.trim() === command);
}

/** A rule that names these outside paths by a pattern, not just the tool. */
export function allowsOutside(rules: readonly string[], facts: CallFacts): boolean {
  return rules.some((rule) => !isEverything(parseRule(rule).pattern) && allowsCall(rule, facts));
}

function strongest(matches: readonly Match[]): Match {
  return matches.includes("yes") ? "yes" : matches.includes("maybe") ? "maybe" : "no";
}
