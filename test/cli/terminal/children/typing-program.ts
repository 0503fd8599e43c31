/** What the pseudo-terminal test runs: says what it was given, ends at `bye`, crashes at `crash`. */
import { TerminalInput } from "../../../../src/cli/terminal/input.ts";
import { LiveArea } from "../../../../src/cli/terminal/live.ts";

const live = new LiveArea({ out: process.stdout });
const say = (what: string, text: string) => live.print(`<${what} ${JSON.stringify(text)}>`);
const input = new TerminalInput({
  stdin: process.stdin,
  live,
  onLine(text, { questionId }) {
    say("line", questionId === undefined ? text : `${questionId}: ${text}`);
    if (text === "crash") throw new Error("as asked");
    if (text === "question") setTimeout(() => input.setCurrentQuestion("q1"), 0);
    if (text === "bye") input.close();
  },
  onInterrupt: () => say("interrupt", ""),
  onEnd: () => say("end", ""),
});
say("ready", "");
