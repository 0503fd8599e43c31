import { callsOf, type Message, type ResultPart, resultText } from "./message.ts";

export interface FeedRules {
  /** Ids of calls that only looked: their results say how things were, not how they are. */
  readonly glances: ReadonlySet<string>;
  /** How many of the newest glances keep their result. Default 6. */
  readonly keepGlances?: number;
  /** Shorten old results longer than this, in characters. Default 2,000; Infinity: none. */
  readonly trimOver?: number;
  /** How many of the newest results are never shortened. Default 20. */
  readonly keepResults?: number;
}

const KEPT_CHARS = 200;

/**
 * A history as it is fed to a model again, when its prompt cache is cold anyway; what is stored stays as it is. Old looks around
 * expire, old long results shrink to their beginning, and of denied calls only the newest stays. The result is a valid history
 * whenever the given one is, and feeding it again changes nothing.
 */
export function rewriteFeed(messages: readonly Message[], rules: FeedRules): readonly Message[] {
  const results = messages.flatMap((message) => message.parts.filter((part): part is ResultPart => part.type === "result"));
  const expired = oldest(
    results.filter(({ callId, denied }) => rules.glances.has(callId) && !denied),
    rules.keepGlances ?? 6,
  );
  const old = oldest(results, rules.keepResults ?? 20);
  const refused = oldest(
    results.filter(({ denied }) => denied),
    1,
  );
  const trimOver = Math.max(rules.trimOver ?? 2_000, 2 * KEPT_CHARS); // or what was shortened would be again
  const rewrite = (result: ResultPart): ResultPart => {
    if (expired.has(result.callId)) return withText(result, "[This look around has expired. Look again if you need it.]");
    return old.has(result.callId) ? shortened(result, trimOver) : result;
  };
  return messages.flatMap((message) => {
    const calls = callsOf(message);
    if (calls.length > 0 && calls.every(({ callId }) => refused.has(callId))) return []; // with what was said around them
    const parts = message.parts.flatMap((part) => {
      if ((part.type === "call" || part.type === "result") && refused.has(part.callId)) return [];
      return [part.type === "result" ? rewrite(part) : part];
    });
    if (parts.length === 0) return [];
    const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
    return [isSame ? message : { ...message, parts }];
  });
}

/** The call ids of all but the newest `keep`. */
function oldest(results: readonly ResultPart[], keep: number): ReadonlySet<string> {
  return new Set(results.slice(0, Math.max(0, results.length - keep)).map(({ callId }) => callId));
}

function shortened(result: ResultPart, trimOver: number): ResultPart {
  const text = resultText(result.content);
  if (text.length <= trimOver) return result;
  const head = text.slice(0, KEPT_CHARS).replace(/[\uD800-\uDBFF]$/, "");
  return withText(
    result,
    `${head}\n[… the rest of ${text.length} characters was taken out of this conversation. Get it again if you need it.]`,
  );
}

function withText(result: ResultPart, text: string): ResultPart {
  const [first] = result.content;
  if (result.content.length === 1 && first?.type === "text" && first.text === text) return result;
  return { ...result, content: [{ type: "text", text }] };
}
