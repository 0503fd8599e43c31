import type { Engine } from "../engines/engine.ts";
import { engineFor, resolveEngine } from "../engines/resolve.ts";
import type { Agent } from "./agent.ts";

/**
 * Which engine answers for which agent: the agent's own; else the given one with the agent's model; else one resolved from the
 * agent's model and the environment. One connection per provider, resolved once per agent.
 */
export class EngineBook {
  readonly #given: Engine | undefined;
  readonly #apiKey: string | undefined;
  readonly #byAgent = new WeakMap<Agent, Engine>();
  readonly #byProvider = new Map<string, Engine>();

  constructor(options: { readonly engine?: Engine; readonly apiKey?: string }) {
    this.#given = options.engine;
    this.#apiKey = options.apiKey;
  }

  /** Throws `no-engine` when none can be found, `bad-config` when the agent's model names another provider than its engine. */
  of(agent: Agent): Engine {
    let engine = this.#byAgent.get(agent);
    if (!engine) {
      const base = agent.engine ?? this.#given;
      engine = base ? engineFor(base, agent.model) : this.#resolve(agent.model);
      this.#byAgent.set(agent, engine);
    }
    return engine;
  }

  #resolve(model: string | undefined): Engine {
    const made = resolveEngine({ model, apiKey: this.#apiKey });
    const connected = this.#byProvider.get(made.provider);
    if (connected) return connected.withModel(made.model);
    this.#byProvider.set(made.provider, made);
    return made;
  }
}
