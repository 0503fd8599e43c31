import { FlowerError, messageOf } from "../core/errors.ts";
import { readText } from "../core/files.ts";
import type { Ask } from "../human/ask.ts";
import type { HumanChannel } from "../human/channel.ts";
import { clip, type Event, type EventSink, makeEvent } from "../messages/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { folderCost } from "../server/folder-cost.ts";
import { LiveRun } from "../server/live-run.ts";
import { readAnswer } from "../server/read-answer.ts";
import { RunDoor } from "../server/run-door.ts";
import type { Workflow } from "../workflow/workflow.ts";
import type { Screen } from "./screen.ts";
import { SideQuestions } from "./side-questions.ts";
import { interpretLine, type TypedLine } from "./terminal/commands.ts";
import { formatCost } from "./terminal/format.ts";
import type { LineOrigin } from "./terminal/input.ts";
import { interruptReceipt } from "./terminal/receipts.ts";

/** How long the process waits for a run to end after it was told to, before it goes anyway. */
const END_GRACE_MS = 3_000;
const STORE_LOOK_MS = 2_000;

export interface DriveOptions {
  readonly workflow: Workflow;
  readonly channel: HumanChannel;
  readonly runtime: Runtime;
  readonly screen: Screen;
  /** Sees every event beside the screen. */
  readonly onEvent?: EventSink;
  /** Told right after the run has begun. */
  readonly notices?: readonly Event[];
}

/** Runs a workflow with a person at the terminal (or nobody); gives the exit code that the run's last event says. */
export async function drive(options: DriveOptions): Promise<number> {
  const { runtime, screen, workflow } = options;
  const driver = new Driver(options);
  runtime.books.onLine((line) => screen.line(line));
  screen.listen({ onLine: (text, origin) => driver.line(text, origin), onInterrupt: () => driver.ctrlC() });
  const unlisten = driver.listenToSignals();
  try {
    await workflow.run(runtime, { onEvent: (event) => driver.event(event) });
    await driver.sideQuestions.finish();
    await tellTotal(runtime, screen);
    return driver.exitCode;
  } finally {
    unlisten();
    await driver.door.close();
    await runtime.close();
    screen.close();
  }
}

/** What the folder has cost, when that is more than this run. */
async function tellTotal(runtime: Runtime, screen: Screen): Promise<void> {
  const { usd, complete, runs } = await folderCost(runtime.runDir);
  if (runs > 1 && usd > (runtime.totalCost() ?? 0)) screen.note(screen.t("cli.totalCost", { cost: formatCost(usd, complete), runs }));
}

class Driver {
  exitCode = 1;
  /** By which other terminals reach the run. */
  readonly door: RunDoor;
  readonly sideQuestions: SideQuestions;
  readonly #options: DriveOptions;
  #asksForWords = false;
  #stopping = false;
  #hasEnded = false;
  readonly #notices: Event[];

  constructor(options: DriveOptions) {
    this.#options = options;
    this.sideQuestions = new SideQuestions(options);
    this.#notices = [...(options.notices ?? [])];
    const { runtime, channel } = options;
    const run = new LiveRun({ runtime, channel, abort: (reason) => this.stop(reason) });
    this.door = new RunDoor({ run, runDir: runtime.runDir, onFailure: (error) => this.#unreachable(error) });
  }

  event(event: Event): void {
    this.door.open(); // with its first event a run has its folder
    if (event.kind === "task" && event.payload.type === "run-end") {
      this.exitCode = event.payload.exitCode;
      this.#hasEnded = true;
    }
    this.#options.screen.event(event);
    this.#options.onEvent?.(event);
    for (const notice of this.#notices.splice(0)) this.#options.runtime.publish(notice, (each) => this.event(each));
  }

  line(text: string, origin: LineOrigin): void {
    if (this.#asksForWords) return this.#interrupt(text);
    this.#act(interpretLine(text, { question: this.#waiting(origin.questionId) }), text);
  }

  /** Once: asks what the person wants to say, then interrupts. Again, or with nobody at a terminal: stops the run. */
  ctrlC(): void {
    const { screen } = this.#options;
    if (this.#hasEnded) return this.sideQuestions.giveUp(); // only answers are waited for
    if (this.#asksForWords || !screen.isInteractive) return this.stop();
    this.#asksForWords = true;
    screen.say(screen.t("ui.interrupt"));
    screen.prompt(screen.t("ui.interruptPrompt"));
  }

  /** Closes the books and ends. A second time, or when the run does not end: goes at once. */
  stop(reason = ""): void {
    if (this.#stopping) process.exit(130);
    this.#stopping = true;
    this.sideQuestions.giveUp();
    const { runtime } = this.#options;
    const go = () => runtime.abort(new FlowerError("aborted", `Stopped by the person. ${reason}`.trim()));
    void runtime.rescue().then(go, go);
    setTimeout(() => process.exit(130), END_GRACE_MS).unref();
  }

  listenToSignals(): () => void {
    const onInt = () => this.ctrlC();
    const onEnd = () => this.stop();
    process.on("SIGINT", onInt).on("SIGTERM", onEnd).on("SIGHUP", onEnd);
    return () => process.off("SIGINT", onInt).off("SIGTERM", onEnd).off("SIGHUP", onEnd);
  }

  #act(line: TypedLine, typed: string): void {
    const { channel, screen } = this.#options;
    switch (line.kind) {
      case "nothing":
        return;
      case "answer":
        return this.#answer(line.questionId, line.text);
      case "skip":
        channel.decline(line.questionId);
        return;
      case "mail":
        void channel.send(line.text);
        return;
      case "interrupt":
        return this.#interrupt(line.text);
      case "oracle":
        this.sideQuestions.ask(line.question);
        return;
      case "command":
        void this.#command(line.name);
        return;
      case "unknown-command":
        screen.say(screen.t("ui.unknownCommand", { name: clip(typed.trim().slice(1), 40) }));
        return;
      default:
        return line satisfies never;
    }
  }

  #waiting(questionId: string | undefined): Ask | undefined {
    return this.#options.channel.pending().find((ask) => ask.id === questionId);
  }

  #answer(questionId: string, words: string): void {
    const { channel, screen } = this.#options;
    const asked = this.#waiting(questionId);
    const read = asked ? readAnswer(asked, words, screen.t) : { text: words };
    if ("refusal" in read) return screen.say(read.refusal);
    if (!channel.answer(questionId, read.text)) void channel.send(words); // settled meanwhile: the words are kept
  }

  /** Without the door other terminals can only leave answers and mail in the run's store: then that is looked at. */
  #unreachable(error: unknown): void {
    const { channel, runtime, screen } = this.#options;
    if (this.#hasEnded) return; // nothing comes after the end
    const text = screen.t("cli.noControl", { reason: messageOf(error) });
    runtime.publish(makeEvent("task", text, { type: "notice", code: "no-control" }), (event) => this.event(event));
    const timer = setInterval(() => (this.#hasEnded ? clearInterval(timer) : void channel.refresh()), STORE_LOOK_MS).unref();
  }

  #interrupt(text: string): void {
    const { runtime, screen } = this.#options;
    this.#asksForWords = false;
    screen.prompt(undefined);
    void runtime.interrupt(text.trim()).then((receipt) => screen.say(interruptReceipt(screen.t, text, receipt)));
  }

  async #command(name: (TypedLine & { kind: "command" })["name"]): Promise<void> {
    const { runtime, screen } = this.#options;
    switch (name) {
      case "help":
        return screen.aside("flower", screen.t("ui.help"));
      case "quit":
        return this.stop();
      case "cost":
      case "status":
        return screen.say(this.#cost());
      case "goal":
        return this.#show(runtime.workbench.goalPath());
      case "brief":
        return this.#show(runtime.workbench.briefPath());
      default:
        return name satisfies never;
    }
  }

  #cost(): string {
    const { runtime, screen } = this.#options;
    const usd = runtime.totalCost();
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = runtime.ledger.total;
    return screen.t("cli.cost", {
      cost: usd === undefined ? "?" : formatCost(usd),
      input: inputTokens + cacheReadTokens + cacheWriteTokens,
      output: outputTokens,
    });
  }

  async #show(path: string): Promise<void> {
    const { screen } = this.#options;
    screen.aside(path, (await readText(path)) ?? screen.t("cli.noDocument"));
  }
}
