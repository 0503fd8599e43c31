import { homedir } from "node:os";
import { resolve } from "node:path";
import { isRecord, type Json } from "../../core/json.ts";

/**
 * A call's arguments with their paths as the CLI takes them, so that guards judge what will be opened: blanks around a path are cut
 * off, and `..` is resolved by the letters, before links are followed.
 */
export function withCliPaths(args: Json, workspace: string): Json {
  if (!isRecord(args)) return args;
  const paths = ["file_path", "path"].flatMap((key) => {
    const written = args[key];
    return typeof written === "string" && written.trim() !== "" ? [[key, toCliPath(written.trim(), workspace)]] : [];
  });
  return paths.length === 0 ? args : { ...args, ...Object.fromEntries(paths) };
}

function toCliPath(written: string, workspace: string): string {
  if (written === "~") return homedir();
  return written.startsWith("~/") ? resolve(homedir(), written.slice(2)) : resolve(workspace, written);
}
