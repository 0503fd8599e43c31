import { Agent, FlowerError, isFlowerError, Runner } from "flower-agents";
import { ScriptedEngine } from "flower-agents/testing";

/** One Runner for the whole application: it indexes the agents, holds the connections, and keeps turns of one session in line. */
export function supportRunner(): Runner {
  const billing = new Agent({ name: "Billing", instructions: "You answer questions about invoices." });
  const support = new Agent({ name: "Support", instructions: "You greet and route.", handoffs: [billing] });
  // Scripted, so that the example runs without a key; leave `engine` out to use a model of yours.
  const engine = new ScriptedEngine((request) => {
    const words = request.messages.findLast((message) => message.role === "user")?.parts[0];
    const text = words?.type === "text" ? words.text : "";
    const isRouted = request.messages.at(-1)?.role === "tool";
    if (text.includes("invoice") && !isRouted && request.tools.length > 0) return { calls: [{ name: "transfer_to_billing", args: {} }] };
    return `You said: ${text}`;
  });
  return new Runner({ startingAgent: support, engine });
}

export const MOST_BODY_BYTES = 100_000;

/** Reads something that a client sent; when that fails it is the client's fault, not ours. */
export function parsed<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FlowerError("bad-input", "The request cannot be read.", { cause });
  }
}

/** The message of a turn's body. That it is a text, the Runner checks. */
export function messageIn(body: string): string {
  return parsed(() => (JSON.parse(body) as { message: string }).message);
}

/** What a client may be told of a failure: the code, and whether trying again may help. */
export function toHttpError(error: unknown): { readonly status: 400 | 409 | 429 | 500 | 503; readonly code: string } {
  if (!isFlowerError(error)) return { status: 500, code: "unknown" };
  return { status: STATUS[error.code] ?? (error.retryable ? 503 : 500), code: error.code };
}

const STATUS: Partial<Record<FlowerError["code"], 400 | 409 | 429>> = { "bad-input": 400, "session-busy": 409, "rate-limited": 429 };
