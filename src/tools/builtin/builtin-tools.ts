import type { Tool } from "../tool.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { bashOutputTool, killShellTool } from "./job-tools.ts";
import { readTool } from "./read.ts";
import { todoWriteTool } from "./todo-write.ts";
import { type BuiltinOptions, makeToolset } from "./toolset.ts";
import { webFetchTool } from "./web-fetch.ts";
import { writeTool } from "./write.ts";

/** Read, Write, Edit, Bash (with BashOutput and KillShell), Glob and Grep over one workspace, WebFetch and TodoWrite. They share what has been read, so take all from one call. */
export function builtinTools(options: BuiltinOptions): readonly Tool[] {
  const toolset = makeToolset(options);
  const overFiles = [readTool, writeTool, editTool, bashTool, bashOutputTool, killShellTool, globTool, grepTool].map((make) =>
    make(toolset),
  );
  return [...overFiles, webFetchTool({ allowHosts: options.allowHosts }), todoWriteTool()];
}
