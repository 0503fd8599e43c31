import type { Agent } from "./agent.ts";

/** The agent with what is left of its iterations after `used`. For one that goes on after a failure: a failure gives it no new ones. */
export function withIterationsLeft(agent: Agent, used: number): Agent {
  const { maxIterations = Number.POSITIVE_INFINITY } = agent.limits;
  if (used === 0 || maxIterations === Number.POSITIVE_INFINITY) return agent;
  return agent.with({ limits: { ...agent.limits, maxIterations: Math.max(0, maxIterations - used) } });
}

/** Whether an agent that has replied so often gets on; beyond its iterations it only tries to end. */
export function isWithinIterations({ limits }: Agent, used: number): boolean {
  return used <= (limits.maxIterations ?? Number.POSITIVE_INFINITY);
}
