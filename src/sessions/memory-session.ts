import type { JsonObject } from "../core/json.ts";
import { LiveState } from "./live-state.ts";
import { sessionMissing } from "./refusals.ts";
import type { JournalEntry, TurnRecord } from "./store.ts";

const JOURNALS_KEPT = 100;

export interface MemoryTurn {
  readonly turnId: string;
  status: TurnRecord["status"];
  /** Milliseconds since the epoch; written as an instant only when asked for. */
  readonly startedAt: number;
  reason: string | undefined;
  /** What was journalled up to the last commit or the end; the rest is still in the live turn. */
  journal: readonly JournalEntry[];
}

/** What a commit left: enough to fork there. */
interface CommitMark {
  readonly length: number;
  readonly activeAgent: string | undefined;
  readonly metadata: JsonObject;
  readonly turn: MemoryTurn;
  /** How much of the turn's journal it covers. */
  readonly journalled: number;
}

/** One session of the memory store: its live state, its turns, and a mark per commit. */
export class MemorySession {
  readonly state: LiveState;
  readonly turns: MemoryTurn[] = [];
  /** Of the newest lease. */
  fence = 0;
  readonly #byId = new Map<string, MemoryTurn>();
  readonly #commits: CommitMark[] = [];

  constructor(id: string) {
    this.state = new LiveState(id);
  }

  /** True while there is nothing to read or to lose. */
  get isEmpty(): boolean {
    return this.state.commit === 0 && this.turns.length === 0;
  }

  hasTurn(turnId: string): boolean {
    return this.#byId.has(turnId);
  }

  /** The open or last turn's record. */
  get newest(): MemoryTurn {
    return this.turns[this.turns.length - 1] as MemoryTurn;
  }

  addTurn(turn: MemoryTurn): void {
    this.turns.push(turn);
    this.#byId.set(turn.turnId, turn);
    if (this.turns.length > JOURNALS_KEPT) this.turns[this.turns.length - 1 - JOURNALS_KEPT]!.journal = [];
  }

  /** Every entry of a turn, those of an open one included. */
  journal(turnId: string): readonly JournalEntry[] {
    const kept = this.#byId.get(turnId)?.journal ?? [];
    return this.state.open?.turnId === turnId ? [...kept, ...this.state.open.entries] : kept;
  }

  /** Moves the open turn's entries to its record. The usual turn has one commit, and hands its list over as it is. */
  keepJournal(): void {
    const entries = this.state.open?.entries ?? [];
    const turn = this.newest;
    turn.journal = turn.journal.length === 0 ? entries : [...turn.journal, ...entries];
  }

  /** Remembers where the commit just made stands. */
  markCommit(): void {
    const { history, activeAgent, metadata } = this.state;
    this.#commits.push({ length: history.length, activeAgent, metadata, turn: this.newest, journalled: this.newest.journal.length });
  }

  /** A new session with everything up to and including commit `at`. */
  copy(to: string, at: number): MemorySession {
    const mark = this.#commits[at - 1];
    if (!mark) throw sessionMissing(this.state.id, `no commit ${at}, only 1 to ${this.state.commit}`);
    const copy = new MemorySession(to);
    for (let i = 0; i < mark.length; i++) copy.state.history.push(this.state.history[i]!);
    copy.state.activeAgent = mark.activeAgent;
    copy.state.metadata = mark.metadata;
    copy.state.commit = at;
    copy.#copyTurns(this.#commits.slice(0, at));
    return copy;
  }

  #copyTurns(marks: readonly CommitMark[]): void {
    for (const { turn, journalled, ...mark } of marks) {
      if (this.turns.at(-1)?.turnId !== turn.turnId) {
        this.addTurn({ turnId: turn.turnId, startedAt: turn.startedAt, status: "committed", reason: undefined, journal: [] });
      }
      this.newest.journal = turn.journal.slice(0, journalled);
      this.#commits.push({ ...mark, turn: this.newest, journalled });
    }
  }
}
