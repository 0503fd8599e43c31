import type { HumanChannel } from "../human/channel.ts";
import type { Language } from "../i18n/catalogue.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** What `flower run` gives to a function that makes a workflow. What the workflow leaves out (channel, workbench, request) is added to it. */
export interface WorkflowSetup {
  /** The folder to work in, absolute. */
  readonly workspace: string;
  /** Where the books are kept, absolute. */
  readonly runDir: string;
  readonly language: Language;
  /** The words behind the file's name; undefined when there are none. */
  readonly request: string | undefined;
  /** The person at the terminal; its tools are for agents that should reach them. */
  readonly channel: HumanChannel;
  readonly workbench: Workbench;
  /** What `--model` said. */
  readonly model: string | undefined;
}
