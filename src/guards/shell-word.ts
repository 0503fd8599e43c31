import { homedir } from "node:os";
import type { SyntaxNode } from "./shell-parser.ts";

/** One word of a command, as the shell would see it after removing quotes. */
export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** What it stands for; undefined when that is only known when it runs (variables, substitutions, braces). */
  readonly value: string | undefined;
  /** It holds an unquoted `*`, `?` or `[`: the value is a pattern for file names. */
  readonly isGlob: boolean;
}

interface Piece {
  readonly value: string | undefined;
  readonly isGlob?: boolean;
}

/** Reads a word's syntax. `$HOME`, `$PWD` and `~` are known; nothing else that has to be expanded is. */
export function toShellWord(node: SyntaxNode): ShellWord {
  return joinNodes([node]);
}

/**
 * The words of neighbouring nodes. The grammar sometimes cuts one word in two, above all at an escaped line end (`gi\⏎t`): nodes
 * with nothing else between them are one word, as they are to the shell. It also takes an escaped blank for a gap: a word beside
 * one is not known.
 */
export function toShellWords(nodes: readonly SyntaxNode[], script: string): readonly ShellWord[] {
  const groups: SyntaxNode[][] = [];
  for (const node of nodes) {
    const last = groups.at(-1)?.at(-1);
    const between = last === undefined ? " " : script.slice(last.endIndex, node.startIndex);
    if (/^(?:\\\n)*$/.test(between)) groups.at(-1)?.push(node);
    else groups.push([node]);
  }
  return groups.map((group) => {
    const word = joinNodes(group);
    return group.some((node) => touchesEscapedBlank(node, script)) ? { ...word, value: undefined } : word;
  });
}

function touchesEscapedBlank(node: SyntaxNode, script: string): boolean {
  const [before, after] = [script.slice(Math.max(0, node.startIndex - 2), node.startIndex), script.slice(node.endIndex, node.endIndex + 2)];
  return [before, after].some((text) => /^\\[ \t\v\f]$/.test(text));
}

function joinNodes(nodes: readonly SyntaxNode[]): ShellWord {
  const text = nodes.map((node) => node.text).join("");
  const pieces = hasBraces(text) ? [{ value: undefined }] : piecesOfAll(nodes);
  const isKnown = pieces.every((piece) => piece.value !== undefined);
  return {
    text,
    value: isKnown ? expandTilde(pieces.map((piece) => piece.value).join(""), nodes[0]) : undefined,
    isGlob: pieces.some((piece) => piece.isGlob),
  };
}

/** Beside named nodes there are lone dollars, plain or escaped; one before a string only marks it for translation. */
function piecesOfAll(nodes: readonly SyntaxNode[]): readonly Piece[] {
  return nodes.flatMap((node, i) => {
    if (node.isNamed) return piecesOf(node);
    return node.text === "$" && nodes[i + 1]?.type === "string" ? [] : [{ value: node.text.replace(/^\\/, "") }];
  });
}

function piecesOf(node: SyntaxNode): readonly Piece[] {
  switch (node.type) {
    case "word":
    case "number":
    case "variable_name":
    case "extglob_pattern":
      return node.namedChildCount > 0 ? [{ value: undefined }] : [unquoted(node.text)];
    case "command_name":
    case "concatenation":
      return piecesOfAll(node.children);
    case "raw_string":
      return [{ value: node.text.slice(1, -1) }];
    case "string":
      return quoted(node);
    case "ansi_c_string":
      return [{ value: unescapeAnsiC(node.text.slice(2, -1)) }];
    case "simple_expansion":
    case "expansion":
      return [{ value: knownVariable(node.text) }];
    default:
      return [{ value: undefined }];
  }
}

/** Braces with a comma or range become several words. */
function hasBraces(text: string): boolean {
  const bare = text.replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g, "_");
  return /\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(bare);
}

function unquoted(text: string): Piece {
  const bare = text.replace(/\\[\s\S]/g, "");
  if (/[$`]/.test(bare)) return { value: undefined };
  return { value: text.replace(/\\\n/g, "").replace(/\\([\s\S])/g, "$1"), isGlob: /[*?[]/.test(bare) };
}

/** In double quotes a backslash only escapes `$`, backquote, `"`, backslash and the line end. */
function quoted(node: SyntaxNode): readonly Piece[] {
  const inner = node.text.slice(node.text.indexOf('"') + 1, -1);
  const expansions = node.namedChildren.filter((child) => child.type !== "string_content");
  if (expansions.length === 0) return [{ value: inner.replace(/\\\n/g, "").replace(/\\([$`"\\])/g, "$1") }];
  const first = expansions[0];
  const known = first && expansions.length === 1 ? knownVariable(first.text) : undefined;
  if (first && known !== undefined && inner.startsWith(first.text)) return [{ value: known }, { value: inner.slice(first.text.length) }];
  return [{ value: undefined }];
}

/** `.` for the working folder: what follows is a path below it. */
function knownVariable(text: string): string | undefined {
  const name = /^\$\{?(\w+)\}?$/.exec(text)?.[1];
  return name === "HOME" ? homedir() : name === "PWD" ? "." : undefined;
}

function expandTilde(value: string, first: SyntaxNode | undefined): string | undefined {
  const start = first?.type === "concatenation" || first?.type === "command_name" ? first.child(0) : first;
  if (start?.type !== "word" || !value.startsWith("~") || start.text.startsWith("\\")) return value;
  if (value === "~" || value.startsWith("~/")) return homedir() + value.slice(1);
  return undefined; // another user's home
}

const ANSI_C: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", v: "\v" };

function unescapeAnsiC(text: string): string {
  const sequence = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|([\s\S]))/g;
  return text.replace(sequence, (_, hex, short, long, octal, control, other) => {
    const code = hex ?? short ?? long;
    if (code !== undefined) return toCharacter(Number.parseInt(code, 16));
    if (octal !== undefined) return toCharacter(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return toCharacter(control.charCodeAt(0) & 0x1f);
    return ANSI_C[other] ?? other;
  });
}

function toCharacter(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
