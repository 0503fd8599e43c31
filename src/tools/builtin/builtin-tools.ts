import type { Tool } from "../tool.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { type BuiltinOptions, makeToolset } from "./toolset.ts";
import { writeTool } from "./write.ts";

/** Read, Write, Edit, Bash, Glob and Grep over one workspace. They share what has been read, so take all from one call. */
export function builtinTools(options: BuiltinOptions): readonly Tool[] {
  const toolset = makeToolset(options);
  return [readTool, writeTool, editTool, bashTool, globTool, grepTool].map((make) => make(toolset));
}
