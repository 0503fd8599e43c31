import { type Language, translator } from "../i18n/catalogue.ts";
import type { HandoffDocument } from "../workbench/handoff-document.ts";

const TASK_CHARACTERS = 1_200;
const GIT_TIMEOUT_MS = 10_000;
const GIT_LINES = 60;

export interface AssembledFrom {
  readonly task: string;
  readonly workspace: string;
  /** The workbench's index of files. */
  readonly index: string;
  /** The last tool calls, oldest first. */
  readonly calls: readonly string[];
  readonly language: Language;
}

/** What can be said without the model: the document of a session that could not write one. Never throws. */
export async function assembleHandoff(from: AssembledFrom): Promise<HandoffDocument> {
  const t = translator(from.language);
  const calls = from.calls.length === 0 ? [] : ["", t("handoff.degradedCalls"), "", ...from.calls.map((call) => `- ${oneLine(call)}`)];
  const status = await gitStatus(from.workspace);
  return {
    doing: [
      t("handoff.degraded"),
      "",
      t("handoff.degradedDoing"),
      "",
      ...from.task
        .slice(0, TASK_CHARACTERS)
        .split("\n")
        .map((line) => `> ${line}`),
      ...calls,
    ].join("\n"),
    decided: "",
    deadEnds: "",
    next: t("handoff.degradedNext"),
    scene: [
      from.workspace,
      ...(status === "" ? [] : ["", "git status:", "", ...status.split("\n").map((line) => `    ${line}`)]),
      "",
      from.index,
    ].join("\n"),
  };
}

/** "" when the workspace is no repository, or git is not there. */
async function gitStatus(workspace: string): Promise<string> {
  const { execFile } = await import("node:child_process");
  const env = { ...process.env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" };
  return new Promise((resolve) => {
    execFile("git", ["status", "--short", "--branch"], { cwd: workspace, env, timeout: GIT_TIMEOUT_MS }, (error, stdout) => {
      resolve(error ? "" : stdout.trimEnd().split("\n").slice(0, GIT_LINES).join("\n"));
    });
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
