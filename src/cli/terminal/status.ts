import pc from "picocolors";
import stringWidth from "string-width";
import { type Clock, systemClock } from "../../core/clock.ts";
import { type Language, type Translate, translator } from "../../i18n/catalogue.ts";
import type { Event } from "../../messages/event.ts";
import { initialStatus, knownCost, reduceStatus, type StatusState } from "../../server/status-state.ts";
import { formatCost, formatDuration, formatTokens } from "./format.ts";
import { sanitizeLine } from "./sanitize.ts";
import { padEnd, truncate } from "./wrap.ts";

export interface StatusLineOptions {
  readonly language: Language;
  readonly color: boolean;
  readonly clock?: Clock;
  /** The context level, in tokens, at which a context handoff begins; learned from events when not given. */
  readonly handoffAt?: number;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const GAUGE_CELLS = 8;
const LEAST_ACTIVITY = 16;

/** What the run is doing, in one line: fed with every event, asked for the line as often as one likes. */
export class StatusLine {
  #state: StatusState;
  readonly #clock: Clock;
  readonly #t: Translate;
  readonly #colors: ReturnType<typeof pc.createColors>;

  constructor({ language, color, clock = systemClock, handoffAt }: StatusLineOptions) {
    this.#clock = clock;
    this.#t = translator(language);
    this.#colors = pc.createColors(color);
    this.#state = initialStatus(clock.now(), handoffAt);
  }

  get state(): StatusState {
    return this.#state;
  }

  event(event: Event): void {
    this.#state = reduceStatus(this.#state, event, this.#clock.now());
  }

  /** One line of at most `width` columns. Facts give way, the last first, before the activity gets too short to read. */
  render(width: number): string {
    const now = this.#clock.now();
    const room = Math.max(1, width - 1);
    const facts = this.#facts(now);
    while (facts.length > 0 && stringWidth(facts.join(" · ")) + 3 + LEAST_ACTIVITY > room) facts.pop();
    const shown = facts.join(" · ");
    const activity = truncate(this.#activity(now), Math.max(1, room - (shown === "" ? 0 : stringWidth(shown) + 3)));
    if (shown === "") return activity;
    return `${padEnd(activity, room - stringWidth(shown) - 3)}   ${this.#colors.dim(shown)}`;
  }

  #activity(now: number): string {
    const { activity } = this.#state;
    const since = activity.since === undefined ? "" : ` ${formatDuration(now - activity.since)}`;
    const spinner = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length];
    switch (activity.kind) {
      case "idle":
        return "";
      case "model":
        return `${spinner} ${agentOf(activity.agent)}${this.#t("ui.status.model")}${since}`;
      case "tool":
        return `${spinner} ${agentOf(activity.agent)}${sanitizeLine(`${activity.tool} ${activity.text}`)}${since}`;
      case "question":
        return `? ${this.#t("ui.status.question", { id: sanitizeLine(activity.id) })}${since}`;
      case "retry":
        return `${spinner} ${this.#t("ui.status.retry")}${since}`;
      case "handoff":
        return `${spinner} ${this.#t("ui.status.handoff")}${since}`;
    }
  }

  #facts(now: number): string[] {
    const { step, context, handoffAt, startedAt, endedAt } = this.#state;
    const facts: string[] = [];
    if (step) facts.push(`${step.index}/${step.total} ${truncate(sanitizeLine(step.name), 24)}${this.#round()}`);
    if (context !== undefined) facts.push(contextFact(context, handoffAt));
    facts.push(formatDuration((endedAt ?? now) - startedAt));
    const cost = knownCost(this.#state);
    if (cost) facts.splice(-1, 0, formatCost(cost.usd, cost.complete));
    return facts;
  }

  #round(): string {
    return this.#state.round > 1 ? ` · ${this.#t("ui.status.round", { round: this.#state.round })}` : "";
  }
}

function agentOf(name: string | undefined): string {
  return name === undefined ? "" : `${sanitizeLine(name)} · `;
}

/** `█████░░░ 92k/150k`: how near the handoff line is. */
function contextFact(context: number, handoffAt: number | undefined): string {
  if (handoffAt === undefined || handoffAt <= 0) return formatTokens(context);
  const full = Math.max(0, Math.min(GAUGE_CELLS, Math.round((GAUGE_CELLS * context) / handoffAt)));
  return `${"█".repeat(full)}${"░".repeat(GAUGE_CELLS - full)} ${formatTokens(context)}/${formatTokens(handoffAt)}`;
}
