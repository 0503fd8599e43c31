import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type LineOrigin, TerminalInput } from "../../../src/cli/terminal/input.ts";
import { LiveArea } from "../../../src/cli/terminal/live.ts";
import { FakeKeyboard, FakeScreen } from "./fake-terminal.ts";

let now = 0;
const clock = { now: () => now, after: () => () => {} };
const lines: [string, LineOrigin][] = [];
let interrupts = 0;
let ends = 0;

beforeEach(() => {
  now = 10_000;
  lines.length = 0;
  interrupts = 0;
  ends = 0;
});

function read(stdin: PassThrough, live: LiveArea): TerminalInput {
  return new TerminalInput({
    stdin: stdin as unknown as NodeJS.ReadStream,
    live,
    clock,
    onLine: (text, origin) => lines.push([text, origin]),
    onInterrupt: () => interrupts++,
    onEnd: () => ends++,
  });
}

const delivered = () => new Promise((resolve) => setImmediate(resolve));

describe("on a terminal", () => {
  let keyboard: FakeKeyboard;
  let screen: FakeScreen;
  let live: LiveArea;
  let input: TerminalInput;

  beforeEach(() => {
    keyboard = new FakeKeyboard();
    screen = new FakeScreen();
    live = new LiveArea({ out: screen, env: {} });
    input = read(keyboard, live);
  });
  afterEach(() => {
    input.close();
    live.close();
  });

  async function type(...chunks: readonly (string | Buffer)[]): Promise<void> {
    for (const chunk of chunks) {
      keyboard.write(chunk);
      await delivered();
    }
  }

  test("what is typed is shown, edited and submitted", async () => {
    await type("olá mundo", "\x1b[D\x1b[D", "\x7f");
    expect(screen.text).toEqual(["› olá mudo"]);
    await type("n", "\r");
    expect(lines).toEqual([["olá mundo", { startedAt: 10_000 }]]);
    expect(screen.text).toEqual(["›"]);
  });

  test("a character may arrive in pieces", async () => {
    const bytes = Buffer.from("界");
    await type(bytes.subarray(0, 1), bytes.subarray(1), "\r");
    expect(lines[0]?.[0]).toBe("界");
  });

  test("a paste is one line with all its lines, and nothing in it is obeyed", async () => {
    await type("see: ", "\x1b[200~one\r\ntw", "o\tx\x1b[2J\rthree\x1b[201~");
    expect(lines).toEqual([]);
    await type("\r");
    expect(lines.map(([text]) => text)).toEqual(["see: one\ntwo  x\nthree"]);
  });

  test("Ctrl+C leads out of a paste that never ends", async () => {
    await type("\x1b[200~one", "\x03", "\r");
    expect([interrupts, lines[0]?.[0]]).toEqual([1, "one"]);
  });

  test("history comes back with the arrow, and the draft after it", async () => {
    await type("one\r", "two\r", "dra", "\x1b[A\x1b[A", "\r", "\x1b[A\x1b[B", "x\r");
    expect(lines.map(([text]) => text)).toEqual(["one", "two", "one", "x"]);
  });

  test("a question that appears while typing does not get the line", async () => {
    await type("also d");
    now += 5_000;
    input.setCurrentQuestion("q1");
    expect(screen.text).toEqual(["› also d"]);
    await type("o X\r", "blue\r");
    expect(lines).toEqual([
      ["also do X", { startedAt: 10_000 }],
      ["blue", { startedAt: 15_000, questionId: "q1" }],
    ]);
  });

  test("a line begun under a question stays with it when another comes", async () => {
    input.setCurrentQuestion("q1");
    await type("blu");
    input.setCurrentQuestion("q2");
    expect(screen.text).toEqual(["q1 › blu"]);
    await type("e\r");
    expect(lines[0]?.[1].questionId).toBe("q1");
    expect(screen.text).toEqual(["q2 ›"]);
  });

  test("a line that was taken back begins anew", async () => {
    await type("x", "\x7f");
    input.setCurrentQuestion("q1");
    await type("y\r");
    expect(lines[0]?.[1].questionId).toBe("q1");
  });

  test("a bare Enter does not skip a question that nobody can have read", async () => {
    input.setCurrentQuestion("q1");
    now += 100;
    await type("\r");
    now += 1_000;
    await type("\r");
    expect(lines.map(([, origin]) => origin.questionId)).toEqual([undefined, "q1"]);
  });

  test("Ctrl+C interrupts and keeps the words", async () => {
    await type("not the Make", "\x03", "file\r");
    expect([interrupts, lines[0]?.[0]]).toEqual([1, "not the Makefile"]);
  });

  test("Ctrl+D ends the lines once, takes the input line away, and Ctrl+C still works", async () => {
    await type("\x04", "\x04", "lost\r", "\x03");
    expect([ends, lines, interrupts]).toEqual([1, [], 1]);
    expect(screen.text).toEqual([""]);
  });

  test("a terminal that goes away ends the lines", async () => {
    keyboard.emit("error", new Error("EIO"));
    expect(ends).toBe(1);
  });

  test("another prompt can be shown for a while", () => {
    input.setPrompt("words › ");
    expect(screen.text).toEqual(["words ›"]);
    input.setPrompt(undefined);
    expect(screen.text).toEqual(["›"]);
  });

  test("close restores the mode, lets the process go and hears nothing more", async () => {
    expect([keyboard.raw, keyboard.kept]).toEqual([true, true]);
    input.close();
    await type("x\r");
    expect([keyboard.raw, keyboard.kept, keyboard.isPaused(), lines, ends]).toEqual([false, false, true, [], 0]);
    expect(keyboard.listenerCount("keypress")).toBe(0);
  });
});

describe("on a pipe", () => {
  test("lines come one by one, the last without a newline too, then the end", async () => {
    const pipe = new PassThrough();
    const input = read(pipe, new LiveArea({ out: new PassThrough(), env: {} }));
    pipe.write("on");
    await delivered();
    input.setCurrentQuestion("q1");
    pipe.end("e\r\ntwo\n\nthr\x1b[2Jee");
    await delivered();
    await delivered();
    expect(lines.map(([text, { questionId }]) => [text, questionId])).toEqual([
      ["one", undefined],
      ["two", "q1"],
      ["", "q1"],
      ["three", "q1"],
    ]);
    expect(ends).toBe(1);
    input.close();
    expect(ends).toBe(1);
  });

  test("after close nothing is heard", async () => {
    const pipe = new PassThrough();
    const input = read(pipe, new LiveArea({ out: new PassThrough(), env: {} }));
    pipe.write("half");
    await delivered();
    input.close();
    pipe.end("\n");
    await delivered();
    expect([lines, ends]).toEqual([[], 0]);
  });
});
