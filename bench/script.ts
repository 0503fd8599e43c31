/** One reply of the model. */
export type Reply =
  | { readonly text: string; readonly fragments?: readonly string[] }
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> };

export interface ScriptOptions {
  /** How long the model thinks. Default 0; Infinity: until the request is aborted. */
  readonly latencyMs?: number;
}

/** What the model says: the same replies again and again, whoever asks. Also remembers what it was sent. */
export class Script {
  /** Model calls so far. */
  calls = 0;
  /** Messages in the newest request, with or without a system prompt, as the library counts. */
  sent = 0;
  /** Told of each request when it comes in. */
  onRequest: (() => void) | undefined;
  readonly #replies: readonly Reply[];
  readonly #latencyMs: number;

  constructor(replies: readonly Reply[], options: ScriptOptions = {}) {
    this.#replies = replies;
    this.#latencyMs = options.latencyMs ?? 0;
  }

  /** The next reply to a request of so many messages. Rejects when the signal aborts. */
  reply(messages: number, signal: AbortSignal | undefined): Reply | Promise<Reply> {
    const reply = this.#replies[this.calls++ % this.#replies.length] as Reply;
    this.sent = messages;
    this.onRequest?.();
    return this.#latencyMs === 0 ? reply : later(this.#latencyMs, reply, signal);
  }
}

function later(ms: number, reply: Reply, signal: AbortSignal | undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    if (Number.isFinite(ms)) setTimeout(resolve, ms, reply);
    else signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The text in the fragments in which a provider would send it; one, unless the reply says otherwise. */
export function fragmentsOf(reply: { readonly text: string; readonly fragments?: readonly string[] }): readonly string[] {
  return reply.fragments ?? [reply.text];
}

let calls = 0;

/** An id for a tool call, as providers give them. */
export function nextCallId(): string {
  return `call_${++calls}`;
}
