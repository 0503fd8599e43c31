import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { BUILTIN_TOOL_NAMES } from "../../src/agents/agent.ts";
import * as claude from "../../src/backends/claude/index.ts";
import { buildProgram } from "../../src/cli/program.ts";
import * as terminal from "../../src/cli/terminal/index.ts";
import { ERROR_CODES } from "../../src/core/errors.ts";
import * as engines from "../../src/engines/index.ts";
import { PROVIDERS } from "../../src/engines/provider-table.ts";
import * as root from "../../src/index.ts";
import { EVENT_KINDS } from "../../src/messages/event.ts";
import * as server from "../../src/server/index.ts";
import * as sqlite from "../../src/sessions/sqlite.ts";
import * as testing from "../../src/testing/index.ts";
import * as mcp from "../../src/tools/mcp/index.ts";
import { readPages } from "./pages.ts";

const pages = readPages();
const everywhere = pages.map((page) => page.text).join("\n");

function page(path: string): string {
  return pages.find((each) => each.path === path)?.text ?? "";
}

/** Those that stand on the page in no code span. */
function missing(words: readonly string[], text: string): readonly string[] {
  const spans = new Set([...text.matchAll(/`([^`\n]+)`/g)].flatMap((match) => (match[1] ?? "").split(/[\s,()]+/)));
  return words.filter((word) => !spans.has(word));
}

function optionsOf(command: Command): readonly string[] {
  return command.options.map((option) => option.long ?? option.flags);
}

describe("the documentation names", () => {
  it("every option of every command, and no other", () => {
    const program = buildProgram();
    const known = new Set([program, ...program.commands].flatMap(optionsOf));
    expect(missing([...known], page("docs/cli.md"))).toEqual([]);
    const rows = page("docs/cli.md").matchAll(/^\| `(?:-\w, )?(--[\w-]+)/gm);
    expect([...rows].map((row) => row[1] ?? "").filter((option) => !known.has(option))).toEqual([]);
  });

  it("every command", () => {
    const names = buildProgram().commands.map((command) => command.name());
    expect(names.filter((name) => !page("docs/cli.md").includes(`\`flower ${name}`))).toEqual([]);
  });

  it("every kind of event", () => {
    expect(missing(EVENT_KINDS, page("docs/events.md"))).toEqual([]);
  });

  it("every error code", () => {
    expect(missing(ERROR_CODES, page("docs/engines.md") + page("docs/runner.md"))).toEqual([]);
  });

  it("every built-in tool", () => {
    expect(missing(BUILTIN_TOOL_NAMES, page("docs/permissions.md"))).toEqual([]);
  });

  it("every provider with its variables and its default model", () => {
    const facts = Object.entries(PROVIDERS).flatMap(([name, provider]) => [
      name,
      ...provider.keyVariables,
      provider.baseVariable,
      provider.defaultModel,
    ]);
    expect(missing(facts, page("docs/engines.md"))).toEqual([]);
  });

  it("everything that the package exports", () => {
    const names = [root, engines, sqlite, claude, mcp, testing, server, terminal].flatMap((entry) => Object.keys(entry));
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(everywhere))).toEqual([]);
  });
});
