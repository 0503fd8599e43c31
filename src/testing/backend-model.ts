import type { Json } from "../core/json.ts";

/** What the model is shown, however the backend packs it. */
export interface ModelView {
  /** Instructions, all of them: a backend may add its own to the agent's. */
  readonly system: string;
  /** The conversation, oldest first: one entry a block. Calls are `[name]`. */
  readonly heard: readonly Heard[];
  /** Names of the tools that it may call. */
  readonly tools: readonly string[];
}

export interface Heard {
  readonly from: "user" | "model" | "tool";
  readonly text: string;
}

/** One reply of the model: thinking, then text, then calls. */
export interface ModelReply {
  readonly thinking?: string;
  readonly text?: string;
  /** By the tools' names as agents know them. */
  readonly calls?: readonly { readonly name: string; readonly args?: Json }[];
  /** Tokens; default 10 in, 5 out. */
  readonly usage?: { readonly input?: number; readonly output?: number };
}

/** Instead of a reply: how a provider fails. */
export interface ModelFailure {
  readonly failure: "overloaded" | "auth" | "context-overflow";
}

export type ModelSays = string | ModelReply | ModelFailure;

/** One answer per model call, in order, or one function for all of them. */
export type ModelScript =
  | readonly (ModelSays | ((view: ModelView) => ModelSays | Promise<ModelSays>))[]
  | ((view: ModelView) => ModelSays | Promise<ModelSays>);

/** The model of one case: whatever the backend under test speaks to is to answer by it. */
export class CaseModel {
  /** The case's name. */
  readonly name: string;
  /** The model calls so far, oldest first. */
  readonly asked: ModelView[] = [];
  #script: ModelScript = [];
  #from = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** What it says from now on. */
  says(script: ModelScript): void {
    this.#script = script;
    this.#from = this.asked.length;
  }

  /** The answer to one model call. Rejects when the script has none. */
  async answer(view: ModelView): Promise<ModelSays> {
    this.asked.push(view);
    if (typeof this.#script === "function") return this.#script(view);
    const step = this.#script[this.asked.length - this.#from - 1];
    if (step === undefined) throw new Error(`${this.name}: the script has no answer to model call ${this.asked.length}.`);
    return typeof step === "function" ? step(view) : step;
  }
}

/** All that the model was shown in one call, in one text. */
export function shownIn(view: ModelView | undefined): string {
  return (view?.heard ?? []).map(({ from, text }) => `${from}: ${text}`).join("\n");
}
