import { readText } from "../core/files.ts";
import type { Json } from "../core/json.ts";
import type { CallPart } from "../messages/message.ts";
import { isWithin, type Roots, resolvePath } from "../tools/builtin/paths.ts";
import { argsRecord, type CallGuard } from "../tools/call.ts";
import { type ChangedPath, changedPath } from "./call-facts.ts";
import { CLEAN_TEXT, cleansAway } from "./git-clean.ts";
import { matchesPath } from "./path-pattern.ts";
import { changesOf, type ShellChange } from "./shell-changes.ts";
import { readShell } from "./shell-nested.ts";

export interface BooksOptions extends Roots {
  /** Everything in it is the framework's. */
  readonly runDir: string;
  /** Further files (or folders) that agents must not write: brief, goal … */
  readonly files: readonly string[];
  /** Files that may only grow, or folders of such files. */
  readonly appendOnly: readonly string[];
}

/**
 * Keeps agents from writing the books. Write and Edit are stopped for certain, however the path is written; a command is stopped
 * when its words or redirections plainly say so, and a tool of an MCP server when an argument names one of the books, or a folder
 * that holds some: whether it only reads is not known. What a program or script does cannot be seen here: compare hashes for that.
 */
export function booksGuard(options: BooksOptions): CallGuard {
  return {
    async before(call) {
      if (call.name === "Write" || call.name === "Edit") return fileDenial(call, options);
      if (call.name === "Bash") return commandDenial(asText(argsRecord(call.args)["command"]), options);
      return isForeign(call.name) ? foreignDenial(call.args, options) : undefined;
    },
  };
}

/** The kept paths, free of symlinks, as they are now. */
interface Books {
  readonly closed: readonly string[];
  readonly appendOnly: readonly string[];
}

async function readBooks(options: BooksOptions): Promise<Books> {
  const real = async (path: string) => {
    const resolved = await resolvePath(path, options);
    return typeof resolved === "string" ? [] : [resolved.path];
  };
  const all = async (paths: readonly string[]) => (await Promise.all(paths.map(real))).flat();
  return { closed: await all([options.runDir, ...options.files]), appendOnly: await all(options.appendOnly) };
}

async function fileDenial(call: CallPart, options: BooksOptions): Promise<string | undefined> {
  const args = argsRecord(call.args);
  const resolved = await resolvePath(asText(args["file_path"]), options);
  if (typeof resolved === "string") return undefined;
  const books = await readBooks(options);
  if (books.appendOnly.some((book) => isIn(resolved.path, book))) {
    return (await onlyAppends(call.name, args, resolved.path)) ? undefined : appendOnlyText(resolved.shown);
  }
  return books.closed.some((book) => isIn(resolved.path, book)) ? closedText(resolved.shown) : undefined;
}

/** A Write that begins with all that is there, or an Edit that puts something behind its end. */
async function onlyAppends(tool: string, args: Readonly<Record<string, Json>>, path: string): Promise<boolean> {
  const now = await readText(path);
  if (now === undefined) return true;
  if (tool === "Write") return asText(args["content"]).startsWith(now);
  const old = asText(args["old_string"]);
  return old !== "" && args["replace_all"] !== true && now.endsWith(old) && asText(args["new_string"]).startsWith(old);
}

async function commandDenial(command: string, options: BooksOptions): Promise<string | undefined> {
  const reading = await readShell(command);
  if (reading === undefined) return undefined;
  const books = await readBooks(options);
  for (const form of reading.allForms) {
    if (await cleansAway(form, [...books.closed, ...books.appendOnly], options)) return CLEAN_TEXT;
  }
  for (const change of changesOf(reading)) {
    const denial = await changeDenial(change, books, options);
    if (denial !== undefined) return denial;
  }
  return undefined;
}

function isForeign(tool: string): boolean {
  return tool.startsWith("mcp__") && !tool.startsWith("mcp__human__");
}

async function foreignDenial(args: Json, options: BooksOptions): Promise<string | undefined> {
  const { closed, appendOnly } = await readBooks(options);
  const workspace = await resolvePath(".", options);
  for (const text of pathsIn(args)) {
    const resolved = await resolvePath(text, options);
    if (typeof resolved === "string" || typeof workspace === "string") continue;
    const { path } = resolved;
    const holdsSome = (book: string) => isIn(book, path) && !isIn(workspace.path, path);
    if ([...closed, ...appendOnly].some((book) => isIn(path, book) || holdsSome(book))) return foreignText(text);
  }
  return undefined;
}

/** Every text in a call's arguments that can be a path. */
function pathsIn(value: Json): readonly string[] {
  if (typeof value === "string") return value === "" || value.includes("\n") ? [] : [value.replace(/^file:\/\//, "")];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

async function changeDenial(change: ShellChange, books: Books, options: BooksOptions): Promise<string | undefined> {
  const resolved = await changedPath(change, options);
  if (resolved === undefined) return undefined;
  const { text } = change.target;
  const isBook = (book: string) => isIn(resolved.path, book);
  if (books.appendOnly.some(isBook)) return change.kind === "append" ? undefined : appendOnlyText(text);
  if (books.closed.some(isBook)) return closedText(text);
  return [...books.appendOnly, ...books.closed].some((book) => takesAlong(change, resolved, book)) ? alongText(text) : undefined;
}

/** The book stands below what is removed, or is among what a pattern for file names names. */
function takesAlong(change: ShellChange, { path, pattern }: ChangedPath, book: string): boolean {
  if (pattern !== undefined) return matchesPath(`${path}/${pattern}`.toLowerCase(), book.toLowerCase(), "/");
  return change.kind === "destroy" && isIn(book, path);
}

/** Without regard to case: some file systems do not know it. */
function isIn(path: string, folder: string): boolean {
  return isWithin(path.toLowerCase(), folder.toLowerCase());
}

function closedText(path: string): string {
  return `${path} belongs to the run's books, which agents read but never write. This is on purpose. Say what you have to say in your answer, or in a file of your own.`;
}

function alongText(path: string): string {
  return `${path} holds some of the run's books (runs, .flower), which agents read but never write or remove. It was not done, on purpose. Name the files or folders that you mean instead.`;
}

function foreignText(path: string): string {
  return `${path} belongs to the run's books, or holds some of them (runs, .flower). Agents read them but never write them, and what this tool would do there is not known, so it was not called. This is on purpose. To look at them use Read; for files of your own name another folder.`;
}

function appendOnlyText(path: string): string {
  return `${path} may only grow: what stands there is never changed or removed, on purpose. Add to its end (>>), or write a file of your own.`;
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
