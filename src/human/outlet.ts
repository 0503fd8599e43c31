import { messageOf } from "../core/errors.ts";
import { appendToFile } from "../core/files.ts";
import type { Language } from "../i18n/catalogue.ts";
import type { EventOf, EventSink } from "../messages/event.ts";
import { type Amendment, appendAmendment } from "./amendments.ts";
import type { AmendReceipt } from "./mail.ts";
import { emitSafely } from "./sinks.ts";
import { WriteQueue } from "./write-queue.ts";

export interface OutletOptions {
  readonly onEvent: EventSink | undefined;
  readonly logPath: string | undefined;
  readonly amendPath: string | undefined;
  readonly language: Language;
}

/** Where a channel's words go: sinks, the log, the amended document. What fails there is collected and never thrown. */
export class Outlet {
  onEvent: EventSink | undefined;
  readonly errors: unknown[] = [];
  /** What was added to the amended document, oldest first. */
  readonly amendments: Amendment[] = [];
  readonly writes = new WriteQueue((error) => this.errors.push(error));
  readonly #sinks = new Set<EventSink>();
  readonly #unheard: EventOf<"ask">[] = [];
  readonly #options: OutletOptions;

  constructor(options: OutletOptions) {
    this.onEvent = options.onEvent;
    this.#options = options;
  }

  addSink(sink: EventSink): () => void {
    this.#sinks.add(sink);
    return () => void this.#sinks.delete(sink);
  }

  /** Every sink hears of events in the same order: what one of them brings about (it may answer at once) comes after. */
  emit(event: EventOf<"ask">): void {
    this.#unheard.push(event);
    if (this.#unheard.length > 1) return; // the call that is emitting goes on with it
    for (const next of this.#unheard) this.#tell(next);
    this.#unheard.length = 0;
  }

  #tell(event: EventOf<"ask">): void {
    const onError = (error: unknown) => this.errors.push(error);
    if (this.onEvent) emitSafely(this.onEvent, event, onError);
    for (const sink of this.#sinks) emitSafely(sink, event, onError);
  }

  log(entry: string): void {
    const path = this.#options.logPath;
    if (path !== undefined) void this.writes.add(() => appendToFile(path, entry));
  }

  async amend(amendment: Amendment): Promise<AmendReceipt> {
    const { amendPath: path, language } = this.#options;
    if (path === undefined) return { amended: "" };
    const failure = await this.writes.add(() => appendAmendment(path, amendment, language));
    if (!failure) this.amendments.push(amendment);
    return failure ? { amended: "", notSaved: messageOf(failure.error) } : { amended: path };
  }
}
