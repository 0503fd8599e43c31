import { FlowerError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { checkHistory } from "../messages/history.ts";
import type { Message } from "../messages/message.ts";
import { noTurn } from "./refusals.ts";
import type { CommitOptions, JournalEntry, OpenTurnState, SessionState } from "./store.ts";

/** The open turn of a session, as the lease's holder sees it. */
export class LiveTurn implements OpenTurnState {
  readonly turnId: string;
  paused: boolean;
  entries: JournalEntry[];

  constructor(turnId: string, paused = false, entries: JournalEntry[] = []) {
    this.turnId = turnId;
    this.paused = paused;
    this.entries = entries;
  }
}

/** A session in memory. One object per session, grown in place: no copies, whatever the length of the history. */
export class LiveState implements SessionState {
  readonly id: string;
  readonly history: Message[] = [];
  activeAgent: string | undefined;
  metadata: JsonObject = {};
  commit = 0;
  open: LiveTurn | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** The open turn, or a refusal that names the `action`. */
  turnTo(action: string): LiveTurn {
    if (!this.open) throw noTurn(this.id, action);
    return this.open;
  }

  /** The messages that a commit of the open turn, with what is to be added, makes history. Throws `history-invalid` when they must not. */
  committable(added: readonly JournalEntry[] = []): readonly Message[] {
    const { entries } = this.turnTo("commit");
    const messages = messagesOf(added.length === 0 ? entries : [...entries, ...added]);
    const problem = checkHistory(messages).find(({ rule }) => rule !== "starts-with-user" || this.history.length === 0);
    if (!problem) return messages;
    throw new FlowerError("history-invalid", `Session "${this.id}": commit refused: new message ${problem.index}: ${problem.message}`, {
      details: { sessionId: this.id, problem },
    });
  }

  /** What a successful commit changes. */
  committed(messages: readonly Message[], options: CommitOptions): void {
    for (const message of messages) this.history.push(message);
    if (options.activeAgent !== undefined) this.activeAgent = options.activeAgent;
    if (options.metadata !== undefined) this.metadata = options.metadata;
    this.commit++;
    if (options.end) this.open = undefined;
    else if (this.open) {
      this.open.entries = [];
      this.open.paused = false;
    }
  }

  /** The committed state as it is now, apart from what comes later. */
  snapshot(): SessionState {
    return { id: this.id, history: this.history.slice(), activeAgent: this.activeAgent, metadata: this.metadata, commit: this.commit };
  }
}

/** The messages among journal entries. A reply that was cut by an abort stays in the journal. */
function messagesOf(entries: readonly JournalEntry[]): readonly Message[] {
  const messages: Message[] = [];
  for (const entry of entries) if (entry.type === "message" && !entry.message.aborted) messages.push(entry.message);
  return messages;
}
