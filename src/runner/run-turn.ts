import { throwIfAborted } from "../core/abort.ts";
import { toFlowerError } from "../core/errors.ts";
import { type Event, makeEvent } from "../messages/event.ts";
import { type Message, textOf } from "../messages/message.ts";
import type { OpenTurn } from "./turn.ts";
import { type TurnOptions, type TurnOutcome, turnLoop } from "./turn-loop.ts";

/**
 * One whole turn: its beginning with the prompt, the loop, the commit (or the pause), and then the `result` event that says how it
 * ended; also on failure, before the error is thrown on. Without a prompt a turn that has begun goes on from its history.
 */
export async function* runTurn(turn: OpenTurn, prompt: Message | undefined, options: TurnOptions): AsyncGenerator<Event, TurnOutcome> {
  try {
    if (prompt) {
      await turn.begin(prompt);
      yield makeEvent("prompt", textOf(prompt), { agent: turn.agent.name, iteration: 0, ...options.origin });
    }
    const outcome = yield* turnLoop(turn, options);
    throwIfAborted(options.abort);
    await (outcome.kind === "needs-approval" ? turn.pause() : turn.end());
    yield resultEvent(turn, options, "text" in outcome ? outcome.text : "");
    return outcome;
  } catch (error) {
    const { code, message } = toFlowerError(error, options.abort.aborted ? "aborted" : "unknown");
    yield resultEvent(turn, options, message, { isError: true, errorKind: code });
    throw error;
  }
}

type Failure = Pick<Parameters<typeof makeEvent<"result">>[2], "isError" | "errorKind">;

function resultEvent(turn: OpenTurn, options: TurnOptions, text: string, failure: Failure = { isError: false }): Event {
  const { usage } = turn;
  return makeEvent("result", text, {
    agent: turn.agent.name,
    iteration: turn.iterations,
    sessionId: turn.sessionId,
    numIterations: turn.iterations,
    usage,
    ...(usage.costUsd === undefined ? {} : { costUsd: usage.costUsd }),
    ...failure,
    ...options.origin,
  });
}
