/** What is inside flower and not exported: the log of a run. Bundled from the same sources. */
export interface EventLog {
  append(event: { kind: string; text: string; tool: string; payload: unknown }): unknown;
  close(): Promise<void>;
}

interface EventLogModule {
  readonly EventLog: { open(path: string, options: { run: string }): EventLog };
}

interface EventReaderModule {
  readEvents(path: string): AsyncIterable<{ readonly seq: number }>;
}

export const { EventLog } = await load<EventLogModule>("event-log.js");
export const { readEvents } = await load<EventReaderModule>("event-reader.js");

function load<M>(file: string): Promise<M> {
  return import(new URL(`internals/${file}`, import.meta.url).href);
}

/** An event as a tool's result is one. */
export function someEvent(n: number) {
  const text = `Result ${n}: the file has been read, it has 120 lines, and nothing in it needs to be changed.`;
  const payload = { step: "work", agent: "worker", iteration: n, toolUseId: `call${n}`, isError: false };
  return { kind: "tool_result", text, tool: "", payload };
}
