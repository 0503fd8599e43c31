import { isRecord } from "../core/json.ts";

const MODES: readonly string[] = ["default", "acceptEdits", "plan", "delegate", "bypassPermissions"];
const LISTS: readonly string[] = ["allow", "ask", "deny"];
/** Tools that some backends bring by themselves. */
const BACKEND_TOOLS: readonly string[] = ["WebFetch", "TodoWrite", "Agent"];

/**
 * What is wrong with the form of permissions, with the rule's name and what is right; undefined when all is well. A rule that can
 * never match is wrong: nobody would notice that a mistyped "deny" denies nothing.
 */
export function permissionProblem(permissions: unknown, toolNames: readonly string[]): string | undefined {
  if (!isRecord(permissions)) return "permissions must be an object with mode, allow, ask and deny.";
  for (const [key, value] of Object.entries(permissions)) {
    if (value === undefined) continue;
    const problem = key === "mode" ? modeProblem(value) : listProblem(key, value, [...toolNames, ...BACKEND_TOOLS]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function modeProblem(mode: unknown): string | undefined {
  return MODES.some((known) => known === mode) ? undefined : `${quote(mode)} is no permission mode. Use one of: ${MODES.join(", ")}.`;
}

function listProblem(key: string, rules: unknown, known: readonly string[]): string | undefined {
  if (!LISTS.includes(key)) return `permissions know no ${quote(key)}. Use mode, ${LISTS.join(", ")}.`;
  if (!Array.isArray(rules)) return `permissions.${key} must be a list of rules, e.g. ["Bash(git push:*)"].`;
  for (const rule of rules) {
    const problem = ruleProblem(rule, known);
    if (problem !== undefined) return `the ${key} rule ${quote(rule)} ${problem}`;
  }
  return undefined;
}

function ruleProblem(rule: unknown, known: readonly string[]): string | undefined {
  if (typeof rule !== "string" || rule.trim() === "") return "is empty. Write a tool's name, or Tool(pattern).";
  const form = /^([^()]+)(?:\(([\s\S]*)\))?$/.exec(rule.trim());
  if (!form) return "is not well formed. Write a tool's name, or Tool(pattern) with both brackets, e.g. Bash(git push:*).";
  const tool = (form[1] ?? "").trim();
  if (form[2]?.trim() === "") return `has no pattern in its brackets. Write ${tool} for every call, or Tool(pattern).`;
  if (isKnown(tool, known)) return undefined;
  return `names no tool that there is. Use mcp__server__tool, * or one of: ${[...new Set(known)].join(", ")}.`;
}

function isKnown(tool: string, known: readonly string[]): boolean {
  if (/^mcp__[^\s()]+$/.test(tool)) return true;
  return tool.endsWith("*") ? known.some((name) => name.startsWith(tool.slice(0, -1))) : known.includes(tool);
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
