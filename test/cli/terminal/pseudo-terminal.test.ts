import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { describe, expect, onTestFinished, test } from "vitest";
import { bundleOf } from "../../script.ts";

/** util-linux's `script` gives a program a real terminal whose keyboard is our pipe. */
const SCRIPT = "script";
const hasScript = spawnSync(SCRIPT, ["--version"]).stdout?.includes("util-linux") ?? false;

class Session {
  readonly #child: ChildProcess;
  output = "";
  readonly ended: Promise<void>;

  constructor() {
    const program = `${process.execPath} ${bundleOf("test/cli/terminal/children/typing-program.ts")}`;
    const command = `${program}; echo "exit $?"; stty -a`;
    const env = { ...process.env, TERM: "xterm", NO_COLOR: "", SHELL: "/bin/sh" };
    this.#child = spawn(SCRIPT, ["-qec", command, "/dev/null"], { env, stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdout?.on("data", (chunk) => {
      this.output += chunk;
    });
    this.ended = new Promise((resolve) => this.#child.once("close", () => resolve()));
    onTestFinished(() => void this.#child.kill());
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  async shows(text: string): Promise<void> {
    while (!this.output.includes(text)) await new Promise((resolve) => this.#child.stdout?.once("data", resolve));
  }
}

describe.skipIf(!hasScript)("on a real terminal", () => {
  test("keys, a paste, a question and Ctrl+C arrive, and the process ends without another key", async () => {
    const session = new Session();
    await session.shows("<ready");
    session.type("helo\x1b[Dl\r");
    await session.shows('<line "hello">');
    session.type("\x1b[200~one\ntwo\x1b[201~\r");
    await session.shows('<line "one\\ntwo">');
    session.type("question\r");
    await session.shows("q1 ›");
    session.type("2\r");
    await session.shows('<line "q1: 2">');
    session.type("\x03");
    await session.shows("<interrupt");
    session.type("\x1b[A\x15bye\r");
    await session.ended;
    expect(session.output).toContain("exit 0");
    expect(session.output).toMatch(/ icanon .* echo /s);
    expect(session.output).toContain("\x1b[?2004l");
  });

  test("Ctrl+D ends the input", async () => {
    const session = new Session();
    await session.shows("<ready");
    session.type("\x04");
    await session.shows("<end");
  });

  test("a crash leaves the terminal as it was", async () => {
    const session = new Session();
    await session.shows("<ready");
    session.type("crash\r");
    await session.ended;
    expect(session.output).toContain("exit 1");
    expect(session.output).toMatch(/ icanon .* echo /s);
    expect(session.output).toContain("\x1b[?2004l");
  });
});
