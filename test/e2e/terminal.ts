import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { inject, onTestFinished } from "vitest";
import { type CliOptions, cleanEnvironment } from "./cli.ts";

/** util-linux's `script` gives a program a real terminal whose keyboard is our pipe. */
export const hasScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") ?? false;

/** A person at a terminal in front of `flower`. */
export class Terminal {
  readonly #child: ChildProcess;
  #output = "";
  #hasEnded = false;
  #onChange = () => {};
  /** The exit code. */
  readonly ended: Promise<number | null>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#onChange();
    });
    this.ended = new Promise((resolve) => child.once("close", (code) => resolve(code)));
    void this.ended.then(() => {
      this.#hasEnded = true;
      this.#onChange();
    });
    child.stdin?.on("error", () => {}); // nobody is there any more
    onTestFinished(async () => {
      this.close();
      await this.ended;
    });
  }

  static async open(args: readonly string[], { cwd, env }: CliOptions): Promise<Terminal> {
    const command = [process.execPath, inject("cli"), ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const all = { ...(await cleanEnvironment()), LANG: "C.UTF-8", TERM: "xterm", SHELL: "/bin/sh", ...env };
    return new Terminal(spawn("script", ["-qec", command, "/dev/null"], { cwd, env: all, stdio: ["pipe", "pipe", "ignore"] }));
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** The window is closed: what runs in it gets SIGHUP. */
  close(): void {
    this.#child.kill("SIGKILL");
  }

  /** What has been shown so far, without colours and cursor movements, every white space one blank. */
  get screen(): string {
    return stripVTControlCharacters(this.#output).replaceAll(/\s+/g, " ");
  }

  /** Waits until this text has been shown, a minute at most. */
  async shows(text: string): Promise<void> {
    let isOver = false;
    const patience = setTimeout(() => {
      isOver = true;
      this.#onChange();
    }, 60_000);
    try {
      while (!this.screen.includes(text)) {
        if (this.#hasEnded) throw new Error(`It ended without showing "${text}":\n${this.screen}`);
        if (isOver) throw new Error(`"${text}" was not shown:\n${this.screen}`);
        await new Promise<void>((resolve) => {
          this.#onChange = resolve;
        });
      }
    } finally {
      clearTimeout(patience);
    }
  }
}
