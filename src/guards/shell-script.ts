import { type SyntaxNode, withShellTree } from "./shell-parser.ts";
import { type ShellWord, toShellWord, toShellWords } from "./shell-word.ts";

/** One simple command of a script, wherever it stands: in lists, pipes, substitutions, functions, loops. */
export interface ShellCommand {
  /** The name and its arguments. */
  readonly words: readonly ShellWord[];
  /** `X=1 cmd`: its environment is changed. */
  readonly hasAssignments: boolean;
  /** Variables it runs with that the script sets, as `NAME=value`: its own and those exported before it. */
  readonly variables: readonly ShellWord[];
  /** It reads what another command or the script itself writes to it. */
  readonly readsScript: boolean;
  /** Names of the commands before it in the same pipe. */
  readonly pipedFrom: readonly string[];
  /** Where it runs, relative to where the script starts; undefined when a `cd` makes that unknown. */
  readonly cwd: string | undefined;
}

/** A redirection that writes a file. */
export interface ShellWrite {
  readonly target: ShellWord;
  readonly isAppend: boolean;
  /** Where the shell is when it opens the file: a group's file is opened before the group runs. */
  readonly cwd: string | undefined;
}

export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  readonly writes: readonly ShellWrite[];
}

/** The commands and file redirections of a script, as bash would see them; undefined when it cannot be parsed. */
export function readShellScript(script: string, cwd: string | undefined = "."): Promise<ShellScript | undefined> {
  return withShellTree(script, (root) => {
    const found: Found = { script, commands: [], writes: [] };
    visit(root, { cwd, folders: [], pipedFrom: [], isFed: false, exported: [] }, found);
    return { commands: found.commands, writes: found.writes };
  });
}

interface Found {
  readonly script: string;
  readonly commands: ShellCommand[];
  readonly writes: ShellWrite[];
}

/** Changes as the walk goes on; copied where the shell would start a subshell. */
interface Place {
  cwd: string | undefined;
  /** Folders that `popd` goes back to. */
  folders: readonly (string | undefined)[];
  pipedFrom: readonly string[];
  /** Standard input is a here-document or a substitution. */
  isFed: boolean;
  exported: readonly ShellWord[];
}

function visit(node: SyntaxNode, place: Place, found: Found): void {
  switch (node.type) {
    case "command":
      visitCommand(node, place, found);
      break;
    case "redirected_statement":
      visitRedirected(node, place, found);
      break;
    case "list":
    case "pipeline":
    case "negated_command":
      visitWithLast(node, place, [], found);
      break;
    case "file_redirect":
      addWrite(node, place, found);
      visitChildren(node, place, found);
      break;
    case "declaration_command":
      place.exported = [...place.exported, ...assignmentsIn(node)];
      visitChildren(node, place, found);
      break;
    case "subshell":
    case "command_substitution":
    case "process_substitution":
      visitChildren(node, { ...place }, found);
      break;
    default:
      // How often these run is unknown, so where a `cd` in them leads is too.
      if (REPEATED.has(node.type) && /\b(?:cd|pushd|popd)\b/.test(node.text)) place.cwd = undefined;
      visitChildren(node, place, found);
  }
}

const REPEATED: ReadonlySet<string> = new Set(["for_statement", "c_style_for_statement", "while_statement", "function_definition"]);

function visitChildren(node: SyntaxNode, place: Place, found: Found): void {
  for (const child of node.namedChildren) visit(child, place, found);
}

function visitCommand(node: SyntaxNode, place: Place, found: Found, extra: readonly ShellWord[] = []): void {
  const { children } = node;
  const redirects = children.filter((child) => child.type.endsWith("_redirect"));
  const parts = children.filter((child) => child.type !== "variable_assignment" && !child.type.endsWith("_redirect"));
  const behind = redirects.flatMap((redirect) => wordsBehindRedirect(redirect, found.script));
  const words = [...toShellWords(parts, found.script), ...behind, ...extra];
  found.commands.push({
    words,
    hasAssignments: children.some((child) => child.type === "variable_assignment"),
    variables: [...place.exported, ...assignmentsIn(node)],
    readsScript: place.isFed || place.pipedFrom.length > 0 || redirects.some(feeds),
    pipedFrom: place.pipedFrom,
    cwd: place.cwd,
  });
  visitChildren(node, { ...place, isFed: false }, found);
  changeFolder(words, place);
}

function assignmentsIn(node: SyntaxNode): readonly ShellWord[] {
  return node.namedChildren.flatMap((child) => {
    const [name, value] = [child.childForFieldName("name"), child.childForFieldName("value")];
    if (child.type !== "variable_assignment" || name === null || value === null) return [];
    const word = toShellWord(value);
    return [{ ...word, text: child.text, value: word.value === undefined ? undefined : `${name.text}=${word.value}` }];
  });
}

/**
 * Redirections stand beside what they belong to, and may hold words of it: `git > log push`. Beside a list or pipe they belong to
 * its last command, and are opened where that one runs.
 */
function visitRedirected(node: SyntaxNode, place: Place, found: Found): void {
  const body = node.childForFieldName("body");
  const redirects = node.namedChildren.filter((child) => child.type.endsWith("_redirect"));
  const behind = redirects.flatMap((redirect) => wordsBehindRedirect(redirect, found.script));
  const { isFed } = place;
  place.isFed ||= redirects.some(feeds);
  const opened = body ? visitWithLast(body, place, behind, found) : [{ ...place }];
  place.isFed = isFed;
  for (const redirect of redirects) {
    if (redirect.type === "heredoc_redirect") visitHereDocument(redirect, place, opened, namesIn(body), found);
    else for (const there of opened) visit(redirect, { ...there, isFed }, found);
  }
}

/** Visits a node whose last command gets some further words; returns the places where that command may begin. */
function visitWithLast(node: SyntaxNode, place: Place, extra: readonly ShellWord[], found: Found): readonly Place[] {
  if (node.type === "list") return visitList(node, place, extra, found);
  if (node.type === "pipeline") return visitPipeline(node, place, extra, found);
  const before = { ...place };
  if (node.type === "command") visitCommand(node, place, found, extra);
  else if (node.type === "negated_command") for (const child of node.namedChildren) visitWithLast(child, place, extra, found);
  else visit(node, place, found);
  return [before];
}

const MOST_COMMANDS = 2_000;

/** Behind `cd x ||` the shell is where it was, or in x when something after the `cd` failed: both are looked at. */
function visitList(node: SyntaxNode, place: Place, extra: readonly ShellWord[], found: Found): readonly Place[] {
  const before = { ...place };
  const last = node.lastNamedChild;
  for (const child of node.namedChildren.slice(0, -1)) visit(child, place, found);
  if (last === null) return [before];
  const isElse = node.children.some((child) => child.type === "||");
  if (!isElse || found.commands.length > MOST_COMMANDS) return visitWithLast(last, place, extra, found);
  const moved = place.cwd;
  const failed = { ...before };
  const opened = visitWithLast(last, failed, extra, found);
  const openedMoved = moved === before.cwd ? [] : visitWithLast(last, { ...place }, extra, found);
  // Mostly the right side ends the script or goes to the same folder: `cd x || exit`, `cd x || { mkdir x && cd x; }`.
  if (failed.cwd !== before.cwd && failed.cwd !== moved) place.cwd = undefined;
  return [...opened, ...openedMoved];
}

/** What follows `<<EOF` on its line hangs below the here-document: redirections of its command, and further commands. */
function visitHereDocument(node: SyntaxNode, place: Place, opened: readonly Place[], before: readonly string[], found: Found): void {
  const { isFed } = place;
  for (const child of node.namedChildren) {
    if (child.type === "pipeline") visitPipeline(child, place, [], found, before);
    else if (child.type === "file_redirect") for (const there of opened) visit(child, { ...there, isFed }, found);
    else visit(child, place, found);
  }
}

/** Each part of a pipe runs in a shell of its own. */
function visitPipeline(
  node: SyntaxNode,
  place: Place,
  extra: readonly ShellWord[],
  found: Found,
  before: readonly string[] = [],
): readonly Place[] {
  let pipedFrom = [...place.pipedFrom, ...before];
  let opened: readonly Place[] = [{ ...place }];
  const parts = node.namedChildren;
  for (const [i, child] of parts.entries()) {
    opened = visitWithLast(child, { ...place, pipedFrom }, i === parts.length - 1 ? extra : [], found);
    pipedFrom = [...pipedFrom, ...namesIn(child)];
  }
  return opened;
}

/** The names of all commands below a node, as far as they are written out; "" for the others. */
function namesIn(node: SyntaxNode | null): readonly string[] {
  const names = node?.descendantsOfType("command_name").map((name) => toShellWord(name).value ?? "");
  return names === undefined || names.length === 0 ? [""] : names;
}

function feeds(redirect: SyntaxNode): boolean {
  if (redirect.type !== "file_redirect") return true;
  return redirect.children.some((child) => child.type === "<") && /[<$`]\(|[$`]/.test(redirect.text.slice(1));
}

/** A redirection takes one word; further ones that the grammar puts below it are arguments of the command. */
function wordsBehindRedirect(redirect: SyntaxNode, script: string): readonly ShellWord[] {
  const words = wordsBelow(redirect, script);
  return redirect.type === "heredoc_redirect" ? words : words.slice(1);
}

function wordsBelow(redirect: SyntaxNode, script: string): readonly ShellWord[] {
  return toShellWords(
    redirect.namedChildren.filter((child) => !NOT_ARGUMENTS.has(child.type)),
    script,
  );
}

const NOT_ARGUMENTS: ReadonlySet<string> = new Set([
  "file_descriptor",
  "heredoc_start",
  "heredoc_body",
  "heredoc_end",
  "pipeline",
  "command",
  "list",
  "file_redirect",
  "herestring_redirect",
  "redirected_statement",
]);

function addWrite(node: SyntaxNode, place: Place, found: Found): void {
  const operator = node.children.find((child) => !child.isNamed)?.type ?? "";
  const [target] = wordsBelow(node, found.script);
  if (!operator.includes(">") || !target) return;
  if (operator.endsWith("&") && /^(?:\d+|-)$/.test(target.value ?? "")) return; // `2>&1`
  found.writes.push({ target, isAppend: operator.includes(">>"), cwd: place.cwd });
}

function changeFolder(words: readonly ShellWord[], place: Place): void {
  const isWrapped = ["builtin", "command"].includes(words[0]?.value ?? "");
  const [first, ...rest] = isWrapped ? words.slice(1) : words;
  const name = first?.value;
  if (name === "pushd") {
    place.folders = [...place.folders, place.cwd];
    const isTurn = rest.length === 0 || rest.some((word) => /^[-+]/.test(word.value ?? ""));
    place.cwd = isTurn ? undefined : folderAfterCd(rest, place.cwd);
  }
  if (name === "popd") {
    place.cwd = rest.length === 0 ? place.folders.at(-1) : undefined;
    place.folders = place.folders.slice(0, -1);
  }
  if (name === "cd") place.cwd = folderAfterCd(rest, place.cwd);
}

/** Where `cd` with these words leads from a folder; undefined when that cannot be told. */
function folderAfterCd(words: readonly ShellWord[], cwd: string | undefined): string | undefined {
  const target = words.find((word) => word.value === undefined || !/^-[LPe@]*$|^--$/.test(word.value) || word.value === "-");
  if (target === undefined) return "~";
  if (target.value === undefined || target.isGlob || target.value === "-") return undefined;
  return folderBelow(cwd, target.value);
}

/** A folder as seen from another one; undefined when that cannot be told. */
export function folderBelow(cwd: string | undefined, folder: string): string | undefined {
  if (/^[/~]/.test(folder)) return folder;
  return cwd === undefined ? undefined : `${cwd}/${folder}`;
}
