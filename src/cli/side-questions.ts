import { type Clock, systemClock } from "../core/clock.ts";
import { Unsettled } from "../core/unsettled.ts";
import { clip } from "../messages/event.ts";
import type { OracleAnswer } from "../runtime/aside.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Screen } from "./screen.ts";
import { formatCost } from "./terminal/format.ts";

/** How long an ended run is kept for answers that are still to come. */
const WAIT_MS = 120_000;
const TITLE_CHARS = 60;

export interface SideQuestionsOptions {
  readonly runtime: Pick<Runtime, "oracle">;
  readonly screen: Pick<Screen, "aside" | "say" | "t">;
  readonly clock?: Clock;
}

/** The side questions of a terminal: put to the oracle, shown when answered, waited for when the run has ended. */
export class SideQuestions {
  readonly #options: SideQuestionsOptions;
  readonly #abort = new AbortController();
  readonly #open = new Unsettled();

  constructor(options: SideQuestionsOptions) {
    this.#options = options;
  }

  ask(question: string): void {
    const { screen } = this.#options;
    screen.say(screen.t("cli.oracle.asked"));
    void this.#open.add(this.#ask(question));
  }

  /** Waits for the open answers, and says so; not for ever, and not when nobody wants them any more. */
  async finish(): Promise<void> {
    if (this.#open.size === 0 || this.#abort.signal.aborted) return;
    const { screen, clock = systemClock } = this.#options;
    screen.say(screen.t("cli.oracle.wait", { count: this.#open.size, seconds: WAIT_MS / 1_000 }));
    const cancel = clock.after(WAIT_MS, () => this.giveUp());
    await this.#open.settled();
    cancel();
  }

  /** Takes all open questions back. */
  giveUp(): void {
    this.#abort.abort();
  }

  /** Never rejects: what went wrong is shown, and the run does not notice. */
  async #ask(question: string): Promise<void> {
    const { runtime, screen } = this.#options;
    const title = `? ${clip(question, TITLE_CHARS)}`;
    const answer = await runtime.oracle(question, { signal: this.#abort.signal });
    screen.aside(title, this.#textOf(answer));
  }

  #textOf({ ok, text, error, costUsd }: OracleAnswer): string {
    const { t } = this.#options.screen;
    const cost = costUsd === undefined ? "?" : formatCost(costUsd);
    const said = ok ? text : this.#abort.signal.aborted ? t("cli.oracle.late") : t("cli.oracle.failed", { reason: error });
    return `${said}\n\n${t("cli.oracle.cost", { cost })}`;
  }
}
