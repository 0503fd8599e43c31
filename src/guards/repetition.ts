import { FlowerError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { type CallPart, resultText } from "../messages/message.ts";
import type { CallGuard } from "../tools/call.ts";

/** From this call on, in a row, the model is told. */
const TOLD_AT = 5;
/** The call in a row at which it stops: nothing new will come of it, and each costs. */
const STOPPED_AT = 15;
/** The same for calls that wait for something. */
const WAITING_STOPPED_AT = 150;

/**
 * A brake for a model that goes in circles: the same call with the same result, again and again, is pointed out to it, and at last ends
 * the work as `repetition`. One guard watches one session.
 */
export function repetitionGuard(): CallGuard {
  let last = "";
  let times = 0;
  /** What to tell the model of this call, or nothing. Throws when it is one too many. */
  const count = (call: CallPart, isError: boolean, result: string): string | undefined => {
    const key = keyOf(call, isError, result);
    times = key === last ? times + 1 : 1;
    last = key;
    if (times >= (waits(call) ? WAITING_STOPPED_AT : STOPPED_AT)) throw stopped(call, times);
    return times < TOLD_AT ? undefined : told(call, times);
  };
  return {
    after(call, outcome) {
      const news = count(call, outcome.isError, resultText(outcome.content));
      return news === undefined ? outcome : { ...outcome, content: [...outcome.content, { type: "text", text: news }] };
    },
    refused(call, text) {
      const news = count(call, true, text);
      return news === undefined ? text : `${text}\n${news}`;
    },
  };
}

/** Trace ids differ each time and say nothing. */
function keyOf({ name, args }: CallPart, isError: boolean, result: string): string {
  return JSON.stringify([name, args, isError, result.replaceAll(/\btrace \w+/g, "")]);
}

function waits({ name, args }: CallPart): boolean {
  return name === "BashOutput" || (name === "Bash" && isRecord(args) && /\b(?:sleep|wait|timeout)\b/.test(String(args["command"])));
}

function told({ name }: CallPart, times: number): string {
  return `[This is the same ${name} call with the same result, for the ${times}th time in a row. Do something else, or end with what you have.]`;
}

function stopped({ name }: CallPart, times: number): FlowerError {
  const message = `The model made the same call of "${name}" ${times} times in a row, each time with the same result. Say what it should do instead, and start again.`;
  return new FlowerError("repetition", message, { details: { tool: name, times } });
}
