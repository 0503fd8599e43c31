import type { Agent } from "../agents/agent.ts";
import { translator } from "../i18n/catalogue.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** What a session is to be told along with its prompt. */
export interface WorkbenchNote {
  /** Goes before the prompt; "" when there is nothing to tell. */
  readonly text: string;
  /** To be called once the session has it. */
  readonly told: (sessionId: string) => void;
}

const NOTHING: WorkbenchNote = { text: "", told: () => {} };

/**
 * Tells sessions what the workbench holds: in their first message, and when they go on, if it is another than they were told. It is
 * never part of the system prompt, which would be new each time. Agents that only look things up are not told.
 */
export class WorkbenchNews {
  readonly #workbench: Workbench;
  readonly #told = new Map<string, string>();

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** For an agent that begins, or that goes on in the session `known`. */
  async noteFor(agent: Agent, known: string | undefined): Promise<WorkbenchNote> {
    if (!worksOn(agent)) return NOTHING;
    const t = translator(this.#workbench.language);
    const index = await this.#workbench.index();
    const told = (sessionId: string) => void this.#told.set(sessionId, index);
    if (index === `- (${t("workbench.empty")})` || (known !== undefined && this.#told.get(known) === index)) return { text: "", told };
    const text = known === undefined ? await this.#workbench.promptBlock() : t("workbench.changed", { index });
    return { text: `${text}\n\n`, told };
  }
}

/** It writes files, or has others write them. */
function worksOn(agent: Agent): boolean {
  return agent.subagents.length > 0 || agent.tools.some((item) => item === "Write" || item === "Agent");
}
