import type { AmendReceipt } from "../human/mail.ts";
import type { LimitReached } from "./budget.ts";

/** Stands for the person while a workflow runs: keeps what they say, and asks them. */
export interface Attendant {
  /** Keeps what the person said at an interrupt, through whatever door it came. Never rejects: the receipt says whether it is saved. */
  keepWords(text: string): Promise<AmendReceipt>;
  /** Told at once of every interrupt, with words or "", before they are kept. */
  interrupted?(text: string): void;
  /** Asks whether the run may spend more. Resolves to true when it may; rejects when the run is aborted or parked meanwhile. */
  askToRaise(reached: LimitReached, signal: AbortSignal): Promise<boolean>;
  /** Questions of the model that wait for the person now. */
  openQuestions(): readonly string[];
}
