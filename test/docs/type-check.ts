import { join } from "node:path";
import ts from "typescript";
import { type Block, ROOT } from "./pages.ts";

/** What the compiler says of blocks of TypeScript, each a module of its own: `page:line: message`. Nothing is written to disk. */
export function typeErrors(blocks: readonly Block[]): readonly string[] {
  const options = compilerOptions();
  const sources = new Map(blocks.map((block, index) => [join(ROOT, `docs/example-${index}.ts`), block]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const codeOf = (path: string) => {
    const block = sources.get(path);
    return block && moduleOf(block);
  };
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => codeOf(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const code = codeOf(path);
    return code === undefined ? getSourceFile(path, version, ...rest) : ts.createSourceFile(path, code, version);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources].flatMap(([path, block]) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map((diagnostic) => describe(diagnostic, block));
  });
}

/** The block with what it takes as given before it. */
export function moduleOf({ given, code }: Block): string {
  return given === "" ? code : `${given}\n${code}`;
}

function compilerOptions(): ts.CompilerOptions {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem: ts.Diagnostic) => fail(problem) };
  const unused = { noUnusedLocals: false, noUnusedParameters: false };
  return ts.getParsedCommandLineOfConfigFile(join(ROOT, "tsconfig.json"), unused, host)?.options ?? {};
}

function fail(problem: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
}

function describe({ file, start, messageText }: ts.Diagnostic, block: Block): string {
  const inside = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0;
  const before = block.given === "" ? 0 : block.given.split("\n").length;
  return `${block.page}:${block.line + 1 + inside - before}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
}
