import type { Backend, BackendOutcome, BackendQuery } from "../../../src/backends/backend.ts";
import type { Event } from "../../../src/messages/event.ts";
import type { MakeBackend, Played } from "../../../src/testing/backend.ts";

/** Keeps what a backend said in each case. */
export class Recorder {
  /** By case, the queries in the order they were made. */
  readonly plays = new Map<string, Played[]>();
  readonly #make: MakeBackend;

  constructor(make: MakeBackend) {
    this.#make = make;
  }

  readonly make: MakeBackend = async (model) => {
    const fixture = await this.#make(model);
    const plays: Played[] = [];
    this.plays.set(model.name, plays);
    const reopen = async () => recording(await fixture.reopen(), plays);
    return { ...fixture, backend: recording(fixture.backend, plays), reopen };
  };
}

function recording(backend: Backend, plays: Played[]): Backend {
  return {
    name: backend.name,
    run: (query) => record(backend, query, plays),
    hasSession: (sessionId) => backend.hasSession(sessionId),
    close: () => backend.close(),
  };
}

async function* record(backend: Backend, query: BackendQuery, plays: Played[]): AsyncGenerator<Event, BackendOutcome> {
  const events: Event[] = [];
  const place = plays.push({ query, events, started: 0 }) - 1;
  const run = backend.run(query);
  for (;;) {
    const next = await run.next();
    if (next.done) {
      plays[place] = { query, events, started: 0, outcome: next.value };
      return next.value;
    }
    events.push(next.value);
    yield next.value;
  }
}
