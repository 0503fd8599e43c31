import type { ToolContext } from "./tool.ts";

/**
 * What a call's guards and its tool see. The signal is made when somebody looks at it: one costs more than a short call. It is a
 * property of the object's own all the same, so that a spread copy has it; one getter for all, as an object literal's would be made anew.
 */
export class CallContext implements ToolContext {
  static readonly #ownSignal: PropertyDescriptor & ThisType<CallContext> = {
    enumerable: true,
    get() {
      return this.#makeSignal();
    },
  };

  declare readonly signal: AbortSignal;
  readonly sessionId: string;
  readonly path: ToolContext["path"];
  readonly agent: string;
  readonly callId: string;
  readonly metadata: ToolContext["metadata"];
  readonly history: ToolContext["history"];
  readonly services: ToolContext["services"];
  readonly emit: ToolContext["emit"];
  readonly #makeSignal: () => AbortSignal;

  constructor(facts: Omit<ToolContext, "signal">, makeSignal: () => AbortSignal) {
    this.sessionId = facts.sessionId;
    this.path = facts.path;
    this.agent = facts.agent;
    this.callId = facts.callId;
    this.metadata = facts.metadata;
    this.history = facts.history;
    this.services = facts.services;
    this.emit = facts.emit;
    this.#makeSignal = makeSignal;
    Object.defineProperty(this, "signal", CallContext.#ownSignal);
  }
}
