import { FlowerError } from "../core/errors.ts";
import { readText } from "../core/files.ts";
import type { HumanChannel } from "../human/channel.ts";
import { clip, type Event, type EventSink } from "../messages/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Workflow } from "../workflow/workflow.ts";
import type { Screen } from "./screen.ts";
import { interpretLine, type TypedLine } from "./terminal/commands.ts";
import { formatCost } from "./terminal/format.ts";
import type { LineOrigin } from "./terminal/input.ts";

/** How long the process waits for a run to end after it was told to, before it goes anyway. */
const END_GRACE_MS = 3_000;

export interface DriveOptions {
  readonly workflow: Workflow;
  readonly channel: HumanChannel;
  readonly runtime: Runtime;
  readonly screen: Screen;
  /** Sees every event beside the screen. */
  readonly onEvent?: EventSink;
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
    return driver.exitCode;
  } finally {
    unlisten();
    await runtime.close();
    screen.close();
  }
}

class Driver {
  exitCode = 1;
  readonly #options: DriveOptions;
  #asksForWords = false;
  #stopping = false;

  constructor(options: DriveOptions) {
    this.#options = options;
  }

  event(event: Event): void {
    if (event.kind === "task" && event.payload.type === "run-end") this.exitCode = event.payload.exitCode;
    this.#options.screen.event(event);
    this.#options.onEvent?.(event);
  }

  line(text: string, origin: LineOrigin): void {
    if (this.#asksForWords) return this.#interrupt(text);
    const asked = this.#options.channel.pending().find((ask) => ask.id === origin.questionId);
    this.#act(interpretLine(text, { question: asked && { id: asked.id, options: asked.options } }), text);
  }

  /** Once: asks what the person wants to say, then interrupts. Again, or with nobody at a terminal: stops the run. */
  ctrlC(): void {
    const { screen } = this.#options;
    if (this.#asksForWords || !screen.isInteractive) return this.stop();
    this.#asksForWords = true;
    screen.say(screen.t("ui.interrupt"));
    screen.prompt(screen.t("ui.interruptPrompt"));
  }

  /** Closes the books and ends. A second time, or when the run does not end: goes at once. */
  stop(): void {
    if (this.#stopping) process.exit(130);
    this.#stopping = true;
    const { runtime } = this.#options;
    const go = () => runtime.abort(new FlowerError("aborted", "Stopped by the person."));
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
        if (!channel.answer(line.questionId, line.text)) void channel.send(line.text); // settled meanwhile: the words are kept
        return;
      case "skip":
        channel.decline(line.questionId);
        return;
      case "mail":
        void channel.send(line.text);
        return;
      case "interrupt":
        return this.#interrupt(line.text);
      case "oracle":
        screen.say(screen.t("cli.oracleLater"));
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

  #interrupt(text: string): void {
    const { channel, runtime, screen } = this.#options;
    this.#asksForWords = false;
    screen.prompt(undefined);
    runtime.interrupt(text.trim());
    if (text.trim() !== "") void channel.amend(text.trim());
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
