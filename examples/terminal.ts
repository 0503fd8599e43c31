import { createInterface } from "node:readline";
import { type Event, failedAt, Runtime, starterFlow } from "flower-agents";
import { scriptedJob } from "./scripted-job.ts";

/** Event → lines: to change the look is to change this one class. */
class Render {
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  event(event: Event): void {
    for (const line of this.#lines(event)) this.#write(line.replaceAll(/\p{Cc}/gu, " ")); // a model may write escape sequences
  }

  #lines(event: Event): readonly string[] {
    switch (event.kind) {
      case "step":
        return ["", `== ${event.payload.index}/${event.payload.total} ${event.text}`];
      case "text":
        return event.text.split("\n").map((line) => `${event.payload.subagent ?? "agent"}> ${line}`);
      case "tool_call":
        return [`  * ${event.tool} ${event.text}`];
      case "ask":
        if (event.payload.kind === "mail") return [`  mail ${event.payload.id} ${event.payload.state}: ${event.text}`];
        if (event.payload.state !== "asked") return [`  ${event.payload.id} ${event.payload.state}: ${event.payload.answer}`];
        return ["", `?? ${event.payload.id}: ${event.text} [${event.payload.options.join(" | ")}]`];
      case "task":
        return event.text === "" ? [] : [`  - ${event.text}`];
      case "retry":
      case "handoff":
      case "error":
        return [`  ~ ${event.text}`];
      default:
        return []; // what is not worth a line, and kinds that may come
    }
  }
}

const workspace = process.argv[2] ?? ".";
const flow = starterFlow("A file that greets", { workspace });
await using runtime = new Runtime({ workspace, workbench: flow.workbench, engine: scriptedJob() });

/** Read all the time, not only while a question waits: else what was typed before would answer a question nobody has seen. */
const typed = createInterface({ input: process.stdin }).on("line", (line) => {
  const [ask] = flow.channel.pending();
  if (line.startsWith("!")) void runtime.interrupt(line.slice(1));
  else if (ask) flow.channel.answer(ask.id, line);
  else if (line.trim() !== "") void flow.channel.send(line);
});

const render = new Render(console.log);
const ctx = await flow.run(runtime, { onEvent: (event) => render.event(event) });
typed.close();
console.log(failedAt(ctx) === undefined ? "done" : `stopped at ${failedAt(ctx)}`);
