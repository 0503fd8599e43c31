import { checkOptions, type OptionKinds } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import type { Language } from "../i18n/catalogue.ts";
import type { EventSink } from "../messages/event.ts";
import type { AskPurpose } from "./ask.ts";

export interface HumanChannelOptions {
  /** Where questions and mail are shown (push). A workflow wires its own sink when there is none. */
  readonly onEvent?: EventSink;
  /** How many questions the model may ask in this process. Undefined: any number; 0: none. */
  readonly maxAsks?: number;
  /** Milliseconds from `askedAt`. null: for ever; ≤ 0: nobody is there, every question times out at once. Default 1,800,000. */
  readonly timeoutMs?: number | null;
  /**
   * What becomes of a decision that only the person can make (goal, budget, permission) when its time is over. False: it is made without
   * them, on the safe side. True: the run parks, and the next start asks again. Default false.
   */
  readonly park?: boolean;
  /** A Markdown file to which every question, outcome and mail is appended. */
  readonly logPath?: string;
  /** The document, usually the brief, to which everything a person says unasked is appended. */
  readonly amendPath?: string;
  /** What the model reads instead of the catalogue's text. */
  readonly overBudgetText?: string;
  readonly timeoutText?: string;
  readonly declinedText?: string;
  /** Of the log, of amendments and of the fixed texts. Default "en". */
  readonly language?: Language;
  readonly clock?: Clock;
  /** The run's `asks.json`, when it is known already; else see `attach`. */
  readonly storePath?: string;
}

const CHANNEL_OPTIONS: OptionKinds<HumanChannelOptions> = {
  onEvent: "any",
  maxAsks: "any",
  timeoutMs: "any",
  park: "flag",
  logPath: "any",
  amendPath: "any",
  overBudgetText: "any",
  timeoutText: "any",
  declinedText: "any",
  language: "any",
  clock: "any",
  storePath: "any",
};

/** Throws `bad-config` for an unknown option. */
export function checkChannelOptions(options: HumanChannelOptions): void {
  checkOptions("HumanChannel", options, CHANNEL_OPTIONS);
}

export interface AskOptions {
  /** Answers to choose from. The person may say something else. */
  readonly options?: readonly string[];
  readonly signal?: AbortSignal;
  /** Names of the agents from the main one down to the one that asks. */
  readonly path?: readonly string[];
  /** Default "model". */
  readonly purpose?: AskPurpose;
  /** What asks, the same again after a restart; a question found under it is entered again instead of asking a new one. */
  readonly key?: string;
}

const DEFAULT_TIMEOUT_MS = 1_800_000;

/** Null, or a finite number of milliseconds that is not negative. */
export function checkTimeout(timeoutMs: number | null = DEFAULT_TIMEOUT_MS): number | null {
  if (timeoutMs === null || timeoutMs === Number.POSITIVE_INFINITY) return null;
  if (Number.isFinite(timeoutMs)) return Math.max(0, timeoutMs);
  throw new FlowerError(
    "bad-config",
    `HumanChannel: timeoutMs must be a number of milliseconds or null (wait for ever), not ${timeoutMs}.`,
  );
}

export function checkMaxAsks(maxAsks: number | undefined): number | undefined {
  if (maxAsks === undefined || (Number.isInteger(maxAsks) && maxAsks >= 0)) return maxAsks;
  throw new FlowerError("bad-config", `HumanChannel: maxAsks must be a whole number from 0, or undefined (no limit), not ${maxAsks}.`);
}
