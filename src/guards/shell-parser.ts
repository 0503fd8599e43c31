import { createRequire } from "node:module";
import type { Node, Parser } from "web-tree-sitter";

export type SyntaxNode = Node;

let loading: Promise<Parser> | undefined;

/**
 * Gives the syntax tree of a bash script to `read`, and returns what `read` returns; undefined when the script cannot be parsed
 * without errors. The tree is freed afterwards: keep no node.
 */
export async function withShellTree<T>(script: string, read: (root: SyntaxNode) => T): Promise<T | undefined> {
  loading ??= loadParser();
  const tree = (await loading).parse(script);
  if (tree === null) return undefined;
  try {
    return tree.rootNode.hasError ? undefined : read(tree.rootNode);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // nested deeper than the stack allows
    throw error;
  } finally {
    tree.delete();
  }
}

/**
 * Left to itself V8 spends more than half a second of a core on optimising the grammar, and the end of the process waits for it.
 * Unoptimised, a script is parsed in a tenth of a millisecond.
 */
async function loadParser(): Promise<Parser> {
  const { Language, Parser } = await import("web-tree-sitter");
  const { setFlagsFromString } = await import("node:v8");
  const grammar = createRequire(import.meta.url).resolve("tree-sitter-bash/tree-sitter-bash.wasm");
  setFlagsFromString("--liftoff-only");
  try {
    await Parser.init();
    const parser = new Parser();
    parser.setLanguage(await Language.load(grammar));
    return parser;
  } finally {
    setFlagsFromString("--no-liftoff-only");
  }
}
