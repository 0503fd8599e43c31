import { type Clock, systemClock } from "../../core/clock.ts";
import { type Language, type Translate, translator } from "../../i18n/catalogue.ts";
import type { Event, EventOf, Speech } from "../../messages/event.ts";
import { isReadable } from "../../messages/readable.ts";
import { initialStatus, knownCost, reduceStatus, type StatusState } from "../../server/status-state.ts";
import { mailLines, outcomeLines, questionBlock } from "./ask-blocks.ts";
import { formatCost } from "./format.ts";
import { createPage, framed, marked, type Page, rule } from "./page.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import {
  handoffLines,
  inputLines,
  proseLines,
  resetText,
  retryText,
  toolCallLines,
  toolResultLines,
  transferText,
} from "./speech-blocks.ts";
import { budgetLines, checkLines, goalLines, type RunSum, runEndLines, verdictLines } from "./task-blocks.ts";
import { firstLines, textColumns, wrapText } from "./wrap.ts";

export interface RenderOptions {
  /** Takes whole lines, each ended by a newline. */
  readonly write: (text: string) => void;
  readonly language: Language;
  readonly color: boolean;
  /** Columns of the terminal, asked anew for every block. */
  readonly width: () => number;
  /** Also thinking, prompts, results of tools, backend notices, unknown kinds. */
  readonly verbose?: boolean;
  readonly clock?: Clock;
}

const ERROR_LINES = 3;
const VERBOSE_LINES = 8;
/** The question itself follows as its own block. */
const ASK_TOOL = "mcp__human__ask";

/**
 * Event → terminal. To change the UI is to change this one class.
 *
 * 1. The only escape sequences it writes are its own colours; with `color: false` there are none.
 * 2. No line is wider than 110 columns or the terminal (of at least 24).
 * 3. A kind it does not know prints nothing, or `<kind>` when verbose, and so does an event whose facts are not what they should
 *    be, in a log from elsewhere. It never throws for one.
 */
export class Render {
  readonly #options: RenderOptions;
  readonly #t: Translate;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #state: StatusState;
  #isJudged = false;
  #group = "";
  #step = "";
  #label = "";
  readonly #asked = new Set<string>();
  readonly #calls = new Map<string, string>();

  constructor(options: RenderOptions) {
    this.#options = options;
    this.#t = translator(options.language);
    this.#clock = options.clock ?? systemClock;
    this.#startedAt = this.#clock.now();
    this.#state = initialStatus(this.#startedAt);
  }

  event(event: Event): void {
    this.#state = reduceStatus(this.#state, event, this.#clock.now());
    for (const block of this.#blocksOf(event)) if (block) this.#print(block);
  }

  /** A text that is no event: the oracle's answer, the goal, the help. */
  aside(title: string, body: string): void {
    const page = this.#page();
    const lines = wrapText(sanitize(body).trimEnd(), page.width - 2);
    this.#print({ group: "aside", lines: framed(page, sanitizeLine(title), lines, page.colors.cyan) });
  }

  #blocksOf(event: Event): readonly (Block | undefined)[] {
    try {
      if (isReadable(event)) return [this.#roundMark(event), this.#blockOf(event)];
    } catch {
      // lists with something else in them
    }
    return [this.#unknown(event)];
  }

  #blockOf(event: Event): Block | undefined {
    switch (event.kind) {
      case "text":
        return { group: "prose", lines: this.#spokenBy(event.payload, (page) => proseLines(page, event)) };
      case "thinking":
      case "prompt":
        return this.#verbose({ group: "prose", lines: this.#spokenBy(event.payload, (page) => inputLines(page, event)) });
      case "tool_call":
        return this.#toolCall(event);
      case "tool_result":
        return this.#toolResult(event);
      case "step":
        return this.#stepBar(event);
      case "ask":
        return this.#ask(event);
      case "task":
        return this.#task(event);
      case "handoff":
        return { group: "handoff", lines: handoffLines(this.#page(), event) };
      case "retry":
        return this.#notice("↻ ", retryText(this.#t, event), "yellow");
      case "error":
        return this.#notice("! ", event.text, "red");
      case "transfer":
        return this.#notice("⇄ ", transferText(event), "cyan");
      case "reset":
        return this.#notice("↺ ", resetText(this.#t, event), "yellow");
      case "result":
        return this.#result(event);
      case "delta":
        return undefined;
      default:
        return this.#unknown(event);
    }
  }

  /** A line when the work goes into another round, another attempt, or to the judge. */
  #roundMark(event: Event): Block | undefined {
    if (event.kind !== "text" && event.kind !== "tool_call") return undefined;
    const { step, subagent } = event.payload;
    if (step === undefined || subagent !== undefined || step === this.#label) return undefined;
    this.#label = step;
    if (this.#step === "" || step === this.#step) return undefined;
    const page = this.#page();
    return { group: "round", lines: [page.colors.bold(rule(page, sanitizeLine(step), "╌"))] };
  }

  /** What a subagent says and does is set off from the main thread. */
  #spokenBy({ subagent }: Speech, lines: (page: Page) => readonly string[]): readonly string[] {
    const page = this.#page();
    if (subagent === undefined) return lines(page);
    return lines({ ...page, width: page.width - 4 }).map((line) => `${page.colors.dim("  │")} ${line}`);
  }

  #toolCall(event: EventOf<"tool_call">): Block | undefined {
    this.#calls.set(event.payload.id, event.tool);
    const block = { group: "tool", lines: this.#spokenBy(event.payload, (page) => toolCallLines(page, event)) };
    return event.tool === ASK_TOOL ? this.#verbose(block) : block;
  }

  #toolResult(event: EventOf<"tool_result">): Block | undefined {
    const { toolUseId, isError } = event.payload;
    const tool = this.#calls.get(toolUseId) ?? "";
    this.#calls.delete(toolUseId);
    const max = this.#options.verbose ? VERBOSE_LINES : ERROR_LINES;
    const lines = this.#spokenBy(event.payload, (page) => firstLines(toolResultLines(page, event, tool), max, "    "));
    return isError ? { group: "tool", lines } : this.#verbose({ group: "tool", lines });
  }

  #stepBar(event: EventOf<"step">): Block {
    const { index, total, resumed, woke, skipped } = event.payload;
    const page = this.#page();
    this.#step = event.text;
    this.#label = event.text;
    const state = skipped ? "skipped" : woke ? "woke" : resumed ? "resumed" : undefined;
    const title = `${index}/${total} ${sanitizeLine(event.text)}${state ? ` · ${this.#t(`ui.step.${state}`)}` : ""}`;
    const paint = skipped ? page.colors.dim : page.colors.cyan;
    return { group: skipped ? "skipped" : "step", lines: [page.colors.bold(paint(rule(page, title, "─")))] };
  }

  #ask(event: EventOf<"ask">): Block {
    const ask = event.payload;
    const page = this.#page();
    if (ask.kind === "mail") return { group: "mail", lines: mailLines(page, event.text, ask) };
    if (ask.state !== "asked") return { group: "outcome", lines: outcomeLines(page, event, ask, this.#asked.delete(ask.id)) };
    this.#asked.add(ask.id);
    return { group: "ask", lines: questionBlock(page, event.text, ask) };
  }

  #task(event: EventOf<"task">): Block | undefined {
    const task = event.payload;
    const page = this.#page();
    switch (task.type) {
      case "goal":
        return { group: "goal", lines: goalLines(page, event.text, task) };
      case "check":
        return { group: "check", lines: checkLines(page, task) };
      case "verdict":
        this.#isJudged = task.state === "achieved";
        return { group: "verdict", lines: verdictLines(page, task) };
      case "budget":
        return { group: "notice", lines: budgetLines(page, event.text, task) };
      case "notice":
        return this.#notice("· ", event.text || task.code, "dim");
      case "progress":
        return this.#verbose(this.#notice("· ", event.text, "dim"));
      case "run-end":
        return { group: "end", lines: runEndLines(page, task, this.#sum()) };
      default:
        return this.#unknown(event);
    }
  }

  #sum(): RunSum {
    return { durationMs: this.#clock.now() - this.#startedAt, cost: knownCost(this.#state), isJudged: this.#isJudged };
  }

  #result(event: EventOf<"result">): Block | undefined {
    const { isError, errorKind, numIterations, costUsd } = event.payload;
    if (isError) return this.#notice("! ", event.text || (errorKind ?? ""), "red");
    const cost = costUsd === undefined ? [] : [formatCost(costUsd)];
    const facts = [this.#t("ui.result.iterations", { count: numIterations }), ...cost];
    return this.#verbose(this.#notice("· ", facts.join(" · "), "dim"));
  }

  #unknown({ kind, text }: { readonly kind: unknown; readonly text: unknown }): Block | undefined {
    const words = [typeof kind === "string" ? `<${kind}>` : "<?>", typeof text === "string" ? text : ""];
    return this.#verbose(this.#notice("· ", words.join(" ").trim(), "dim"));
  }

  #notice(mark: string, text: string, color: "red" | "yellow" | "cyan" | "dim"): Block {
    const page = this.#page();
    return { group: "notice", lines: marked(page, page.colors[color](mark), sanitize(text), page.colors[color]) };
  }

  #verbose(block: Block): Block | undefined {
    return this.#options.verbose ? block : undefined;
  }

  #page(): Page {
    return createPage(this.#t, this.#options.color, textColumns(this.#options.width()));
  }

  #print({ group, lines }: Block): void {
    const apart = group !== this.#group || !TIGHT.has(group);
    const gap = this.#group !== "" && apart ? "\n" : "";
    this.#group = group;
    this.#options.write(gap + lines.map((line) => `${line}\n`).join(""));
  }
}

/** `group` says what kind of thing the lines are: a blank line stands between different things. */
interface Block {
  readonly group: string;
  readonly lines: readonly string[];
}

/** Blocks of these groups follow each other without a blank line. */
const TIGHT: ReadonlySet<string> = new Set(["tool", "check", "notice", "mail", "outcome", "skipped"]);
