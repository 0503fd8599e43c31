import { type Command, InvalidArgumentError } from "commander";
import { FlowerError } from "../core/errors.ts";
import type { ContextHandoffOptions } from "../runtime/context-handoff.ts";
import type { Environment } from "../tools/builtin/environment.ts";

/** What the command line says about the model's context. */
export interface ContextOptions {
  /** False with `--no-handoff`. */
  readonly handoff: boolean;
  /** Tokens. */
  readonly window?: number;
}

export function addContextOptions(command: Command): Command {
  return command
    .option(
      "--window <tokens>",
      "what the model can take; default from FLOWER_WINDOW, then what is known of the model, then 200000",
      parseWindow,
    )
    .option("--no-handoff", "go on in a full context until the model refuses, instead of having a fresh session take over");
}

/** For the Runtime. Throws `bad-input` for options that contradict each other, and for a FLOWER_WINDOW that is no number of tokens. */
export function contextHandoffFrom(options: ContextOptions, env: Environment): ContextHandoffOptions | false {
  if (!options.handoff) {
    if (options.window === undefined) return false;
    throw new FlowerError("bad-input", "--window has no effect with --no-handoff: use one of them.");
  }
  if (options.window !== undefined) return { window: options.window };
  const set = env["FLOWER_WINDOW"];
  if (set === undefined || set.trim() === "") return {};
  const window = toWindow(set);
  if (window === undefined) throw new FlowerError("bad-input", `FLOWER_WINDOW is "${set}": ${WANTED}`);
  return { window };
}

const LEAST_TOKENS = 4_000;
const WANTED = `it must be a whole number of tokens, ${LEAST_TOKENS} or more: the instructions alone take about that much.`;

function toWindow(text: string): number | undefined {
  const value = Number(text.replaceAll("_", ""));
  return text.trim() !== "" && Number.isInteger(value) && value >= LEAST_TOKENS ? value : undefined;
}

function parseWindow(text: string): number {
  const window = toWindow(text);
  if (window === undefined) throw new InvalidArgumentError(`I${WANTED.slice(1)}`);
  return window;
}
