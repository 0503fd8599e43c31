import { spawn } from "node:child_process";
import { abortReason } from "../../core/abort.ts";
import { hasCode } from "../../core/files.ts";

const MOST_BYTES = 32 * 1024 * 1024;

/** Same files in every search: hidden ones too, ignored ones and Git's own not, no settings of the user's. */
const ALWAYS = ["--no-config", "--hidden", "--no-require-git", "--color=never", "--glob=!**/.git"];

export interface RipgrepResult {
  readonly lines: readonly string[];
  /** ripgrep's complaints: a bad pattern, a file it could not read. */
  readonly complaint: string;
  /** 0 something found, 1 nothing, 2 trouble. */
  readonly exitCode: number;
}

/** Runs ripgrep on everything below `folder`; with `file`, on that one file in it. Symlinks are not followed. */
export async function ripgrep(args: readonly string[], folder: string, signal: AbortSignal, file = ""): Promise<RipgrepResult> {
  const { rgPath } = await import("@vscode/ripgrep");
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, [...ALWAYS, ...args, "--", `./${file}`], { cwd: folder, stdio: ["ignore", "pipe", "pipe"], signal });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_BYTES) out.push(chunk);
      else child.kill();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (err.length < 100) err.push(chunk);
    });
    child.once("error", (error) => {
      if (signal.aborted) reject(abortReason(signal));
      else if (hasCode(error, "ENOENT", "ENOTDIR")) resolve({ lines: [], complaint: `${folder} is not a folder that exists`, exitCode: 2 });
      else reject(error);
    });
    child.once("close", (code) => {
      const lines = Buffer.concat(out).toString("utf8").split("\n");
      if (lines.at(-1) === "" || size > MOST_BYTES) lines.pop();
      resolve({ lines, complaint: Buffer.concat(err).toString("utf8").trim(), exitCode: code ?? (lines.length > 0 ? 0 : 2) });
    });
  });
}

/** The paths, relative to `folder`, of all files that are not ignored. */
export async function listFiles(folder: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { lines } = await ripgrep(["--files"], folder, signal);
  return new Set(lines.map(withoutDot));
}

/** `./a/b` → `a/b`. */
export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
