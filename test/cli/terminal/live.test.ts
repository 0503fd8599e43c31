import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LiveArea } from "../../../src/cli/terminal/live.ts";
import { FakeScreen } from "./fake-terminal.ts";

const word = fc.string({ unit: fc.constantFrom("a", "b", " ", "-"), maxLength: 90, size: "max" });
const change = fc.oneof(
  fc.record({ print: word }),
  fc.record({ status: word }),
  fc.record({ input: fc.record({ text: word, cursor: fc.nat(90) }) }),
  fc.constant({ input: undefined }),
);

test("the log is never torn, whatever is printed and typed in whatever order", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      const screen = new FakeScreen();
      const live = new LiveArea({ out: screen, env: {} });
      const log = new FakeScreen();
      for (const step of changes) {
        if ("print" in step) {
          live.print(`${step.print}\n`);
          log.write(`${step.print}\n`);
        } else if ("status" in step) live.status(step.status);
        else live.input(step.input && { prompt: "> ", text: step.input.text, cursor: Math.min(step.input.cursor, step.input.text.length) });
      }
      const lines = log.text.slice(0, -1);
      expect(screen.text.slice(0, lines.length)).toEqual(lines);
      live.close();
      expect(screen.text).toEqual(log.text);
    }),
  );
});

test("the status stands above the input, and the cursor in the text", () => {
  const screen = new FakeScreen();
  const live = new LiveArea({ out: screen, env: {} });
  live.print("log");
  live.status("busy");
  live.input({ prompt: "› ", text: "hello", cursor: 2 });
  expect(screen.text).toEqual(["log", "busy", "› hello"]);
  expect(screen.cursor).toEqual([2, 4]);
  live.close();
});

test("a long input wraps under its prompt, and its newlines show", () => {
  const screen = new FakeScreen();
  screen.columns = 12;
  const live = new LiveArea({ out: screen, env: {} });
  live.input({ prompt: "› ", text: "0123456789ab\ncd", cursor: 15 });
  expect(screen.text).toEqual(["› 012345678", "  9ab", "  cd"]);
  live.close();
});

test("each change is one write, so nothing can come between", () => {
  const screen = new FakeScreen();
  const live = new LiveArea({ out: screen, env: {} });
  live.status("busy");
  let writes = 0;
  const write = screen.write.bind(screen);
  screen.write = (text) => {
    writes++;
    return write(text);
  };
  live.print("log");
  expect(writes).toBe(1);
  live.close();
});

test("after close the terminal is as before and the log goes on plainly", () => {
  const screen = new FakeScreen();
  const listeners = process.listenerCount("exit");
  const live = new LiveArea({ out: screen, env: {} });
  live.pasteMode(true);
  live.status("busy");
  live.close();
  live.print("bye");
  live.status("again");
  expect(screen.text).toEqual(["bye", ""]);
  expect(screen.written.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(screen.written.lastIndexOf("\x1b[?2004h"));
  expect(process.listenerCount("exit")).toBe(listeners);
  expect(screen.listenerCount("resize")).toBe(0);
});

test.each([
  ["NO_COLOR", { NO_COLOR: "1" }],
  ["a dumb terminal", { TERM: "dumb" }],
])("with %s there are plain lines only", (_title, env) => {
  const screen = new FakeScreen();
  const live = new LiveArea({ out: screen, env });
  live.status("busy");
  live.input({ prompt: "> ", text: "x", cursor: 1 });
  live.print("log");
  live.close();
  expect(screen.written).toBe("log\n");
});

test("a pipe gets plain lines, and its breaking harms nobody", () => {
  const out = new PassThrough();
  const live = new LiveArea({ out, env: {} });
  live.print("one");
  out.emit("error", new Error("EPIPE"));
  live.print("two");
  live.close();
  expect(String(out.read())).toBe("one\n");
});
