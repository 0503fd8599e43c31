import type { Agent } from "../../agents/agent.ts";
import { FlowerError } from "../../core/errors.ts";
import { startable } from "../native/agent-tool.ts";

/** One agent of a query, with what it may start. */
export interface Member {
  readonly agent: Agent;
  /** The agents from the query's own down to this one. */
  readonly line: readonly Agent[];
  readonly subagents: readonly Agent[];
}

/** The agents that can speak in a query. */
export interface Crew {
  readonly main: Member;
  /** By name: the CLI knows subagents by it, wherever they are declared. */
  readonly below: ReadonlyMap<string, Member>;
}

/** Throws `bad-config` for what the CLI's loop cannot do: transfers, engines, two different subagents of one name. */
export function crewOf(agent: Agent): Crew {
  const below = new Map<string, Member>();
  const visit = (member: Agent, line: readonly Agent[]): Member => {
    check(member);
    const subagents = startable(member);
    for (const one of subagents) {
      const known = below.get(one.name);
      if (known === undefined) {
        const place: Member = { agent: one, line: [...line, one], subagents: [] };
        below.set(one.name, place); // before it is looked into: it may lead to itself
        below.set(one.name, visit(one, place.line));
      } else if (known.agent !== one && member.name !== one.name) {
        throw new FlowerError(
          "bad-config",
          `The backend "claude" knows subagents by name, and two different ones are named "${one.name}".`,
        );
      }
    }
    return { agent: member, line, subagents };
  };
  return { main: visit(agent, [agent]), below };
}

function check(agent: Agent): void {
  if (agent.handoffs.length > 0) {
    throw new FlowerError(
      "bad-config",
      `Agent "${agent.name}" has handoffs, which the backend "claude" cannot make. Use subagents, or the native backend.`,
    );
  }
  if (agent.engine !== undefined) {
    throw new FlowerError(
      "bad-config",
      `Agent "${agent.name}" has an engine of its own, but the backend "claude" brings its model. Leave the engine out.`,
    );
  }
}
