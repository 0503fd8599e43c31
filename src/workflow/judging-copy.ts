import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { namesPath } from "../guards/original.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { isWithin } from "../tools/builtin/paths.ts";
import type { Check } from "../workbench/check.ts";
import { copyWorkspace, type WorkCopy } from "./work-copy.ts";

/** A fresh copy of a Runtime's workspace, without its books; a string says why there is none. */
export async function copyForJudging(runtime: Runtime, signal: AbortSignal | undefined): Promise<WorkCopy | string> {
  const { workspace, runDir } = runtime;
  const real = await realpath(workspace).catch(() => workspace);
  const books = isWithin(runDir, workspace) && runDir !== workspace ? [join(real, relative(workspace, runDir))] : [];
  return copyWorkspace(workspace, { exclude: books, signal });
}

/** Whether a check is about the workspace itself: it says so, or it names the workspace by an absolute path. */
export function isInPlace(check: Check, workspaces: readonly string[]): boolean {
  if (check.inPlace) return true;
  const { stdoutContains = [], stdoutMatches = "", creates = [] } = check.expect ?? {};
  const texts = [check.command ?? "", stdoutMatches.replaceAll("\\/", "/"), ...stdoutContains, ...creates];
  return creates.some(isAbsolute) || workspaces.some((workspace) => texts.some((text) => namesPath(text, workspace)));
}
