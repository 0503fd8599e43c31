import type { Clock } from "../core/clock.ts";

export interface SseOptions<T> {
  /** Begins to read; the signal ends it. */
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  readonly toMessage: (item: T) => { readonly id: string; readonly data: string };
  readonly clock: Clock;
  /** A comment is sent when nothing else was for so long, so that a dead connection is noticed. */
  readonly heartbeatMs: number;
}

/**
 * A stream of server-sent events. It takes from the source only what the client takes from it: a slow client holds nobody up
 * and costs no memory. At the end of the source comes an event `end`; a client that sees it need not connect again.
 */
export function toSseResponse<T>(options: SseOptions<T>): Response {
  const stop = new AbortController();
  const source = options.open(stop.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<T>> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(": connected\n\n")),
    async pull(controller) {
      pending ??= source.next();
      const result = await orHeartbeat(pending, options);
      if (result === undefined) return controller.enqueue(encoder.encode(": \n\n"));
      pending = undefined;
      if (!result.done) return controller.enqueue(encoder.encode(toFrame(options.toMessage(result.value))));
      controller.enqueue(encoder.encode("event: end\ndata: {}\n\n"));
      controller.close();
    },
    async cancel() {
      stop.abort();
      await pending?.catch(() => {});
      await source.return?.();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" } });
}

/** `data` is one line of JSON, which holds no line feed; the id, too, is kept to its line. */
function toFrame({ id, data }: { readonly id: string; readonly data: string }): string {
  return `id: ${id.replaceAll(/[\r\n\0]/g, "")}\ndata: ${data}\n\n`;
}

/** Undefined when the time for a heartbeat comes first. */
async function orHeartbeat<R>(result: Promise<R>, { clock, heartbeatMs }: Pick<SseOptions<unknown>, "clock" | "heartbeatMs">) {
  let cancel = () => {};
  const beat = new Promise<undefined>((resolve) => {
    cancel = clock.after(heartbeatMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([result, beat]);
  } finally {
    cancel();
  }
}
