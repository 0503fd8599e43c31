import { type Language, translator } from "../i18n/catalogue.ts";
import { type EventOf, makeEvent } from "../messages/event.ts";
import { type ContextLimits, contextLimits, loweredWindow } from "./context-limits.ts";
import { HandoffDesk } from "./handoff-tool.ts";

/** How a full context is dealt with. */
export interface ContextHandoffOptions {
  /** What the model can take, in tokens. Default: what is known of the model, else 200,000. */
  readonly window?: number;
  /** Tokens to keep free. Default: a quarter of the window, more in small ones. */
  readonly headroom?: number;
  /** Sessions that one step may use up. Default 8. */
  readonly maxGenerations?: number;
}

const DEFAULT_MAX_GENERATIONS = 8;

/** What a full session leaves: a document that it writes, one assembled by machine, or nothing because another session would not help. */
export type HandoffPlan =
  | { readonly do: "write" }
  | { readonly do: "assemble" }
  | { readonly do: "stop"; readonly code: "context-overflow" | "context-floor-exceeded"; readonly message: string };

export interface HandoffSetting extends ContextHandoffOptions {
  /** The step's label. */
  readonly step: string;
  readonly window: number;
  readonly language: Language;
}

/** The context levels of one step's sessions, one after the other, and when the next one has to take over. */
export class ContextHandoff {
  readonly desk = new HandoffDesk();
  /** This step's sessions so far, from 1. */
  generation = 1;
  readonly #setting: HandoffSetting;
  #limits: ContextLimits;
  /** The lowest level at which a session of this step has begun. */
  #floor = Number.POSITIVE_INFINITY;
  #level = 0;
  #replies = 0;
  /** It began with the prompt, not by resuming. */
  #isFresh = true;
  #hasWarned = false;
  #degradedInRow = 0;

  constructor(setting: HandoffSetting) {
    this.#setting = setting;
    this.#limits = contextLimits(setting.window, setting.headroom);
  }

  get limits(): ContextLimits {
    return this.#limits;
  }

  /** The session that begins now goes on from an earlier process: its first level says nothing about where sessions begin. */
  resumed(): void {
    this.#isFresh = false;
  }

  /** The main thread's level after a model reply. Gives the warning when it is due, once in a generation. */
  note(level: number): EventOf<"handoff"> | undefined {
    this.#replies++;
    this.#level = level;
    if (this.#isFresh && this.#replies === 1) this.#floor = Math.min(this.#floor, level);
    if (this.#hasWarned || level < this.#limits.warnAt) return undefined;
    this.#hasWarned = true;
    return this.event("near");
  }

  isFull(level: number): boolean {
    return level >= this.#limits.at;
  }

  /** What to do now that the session is full. `overflow`: the provider says so, below the level that was reckoned with. */
  plan(overflow: boolean): HandoffPlan {
    if (overflow && !this.isFull(this.#level)) this.#lowerWindow();
    const startedFull = this.#isFresh && this.#replies <= 1;
    if (startedFull && this.generation > 1) return this.#stop("context-floor-exceeded", this.#floorMessage());
    if (this.generation >= (this.#setting.maxGenerations ?? DEFAULT_MAX_GENERATIONS)) {
      return this.#stop(
        "context-overflow",
        `The context was full ${this.generation} times in this step. Split the work into smaller steps, or raise contextHandoff.maxGenerations.`,
      );
    }
    return { do: startedFull || overflow ? "assemble" : "write" };
  }

  /** A document lies there and the next session begins; undefined, or why that would be no use. */
  succeed(degraded: boolean): (HandoffPlan & { readonly do: "stop" }) | undefined {
    this.#degradedInRow = degraded ? this.#degradedInRow + 1 : 0;
    if (this.#degradedInRow >= 2) {
      return this.#stop(
        "context-overflow",
        `Two sessions in a row could not write their handoff document (context ${this.#level}, window ${this.#limits.window}). Use a model with a larger window, or keep more of it free (contextHandoff.headroom).`,
      );
    }
    this.generation++;
    this.#replies = 0;
    this.#isFresh = true;
    this.#hasWarned = false;
    return undefined;
  }

  event(phase: "near" | "writing"): EventOf<"handoff"> {
    const { step, language } = this.#setting;
    const { window, at } = this.#limits;
    const context = this.#level;
    const text = translator(language)(`handoff.${phase}`, { context, window, at });
    return makeEvent("handoff", text, phase === "near" ? { phase, step, context, window, at } : { phase, step, context, window });
  }

  doneEvent(document: { readonly path: string; readonly sections: readonly string[]; readonly degraded: boolean }): EventOf<"handoff"> {
    const { step, language } = this.#setting;
    const text = translator(language)("handoff.done", { path: document.path });
    return makeEvent("handoff", text, { phase: "done", step, context: this.#level, window: this.#limits.window, ...document });
  }

  #lowerWindow(): void {
    const floor = Number.isFinite(this.#floor) ? this.#floor : 0;
    this.#limits = contextLimits(loweredWindow(this.#limits.window, this.#level, floor), this.#setting.headroom);
  }

  #floorMessage(): string {
    return `A fresh session begins with ${this.#level} tokens, and hands over at ${this.#limits.at} of a window of ${this.#limits.window}. Shorten instructions, brief or tools, or use a model with a larger window.`;
  }

  #stop(code: "context-overflow" | "context-floor-exceeded", message: string): HandoffPlan & { readonly do: "stop" } {
    return { do: "stop", code, message };
  }
}
