import type { Agent } from "../../agents/agent.ts";
import type { TurnOptions } from "../../runner/turn-loop.ts";
import type { BackendQuery } from "../backend.ts";
import { Below } from "./below.ts";

/** A query with its place: on the main thread, or below the call that started it. */
export interface PlacedQuery extends BackendQuery {
  /** The agents above this one, as declared, from the main one down. */
  readonly above: readonly Agent[];
  /** Their names, as they called. */
  readonly path: readonly string[];
  readonly origin: TurnOptions["origin"];
  readonly below: Below;
}

export function onMainThread(query: BackendQuery): PlacedQuery {
  return { ...query, above: [], path: [], origin: query.step === undefined ? {} : { step: query.step }, below: new Below() };
}
