import type { Event } from "../messages/event.ts";
import type { Played } from "./backend-stage.ts";

/** One event as it is compared. */
export interface Line {
  readonly kind: Event["kind"];
  /** The tool of a call, and of the call that a result answers: ids are never compared. */
  readonly tool: string;
  readonly text: string;
  /** The subagent that speaks; "" on the main thread. */
  readonly who: string;
  /** Number of the model call in its query. */
  readonly iteration: number;
  /** Of a result of a tool: which of the calls it answers, counted from 0. */
  readonly order?: number;
  /** How a call or a query failed: `error`, or our code. */
  readonly failed: string;
  /** Of a `result`: what was spent. */
  readonly spent?: { readonly iterations: number; readonly input: number; readonly output: number; readonly costUsd?: number | undefined };
}

/** Something in which two backends may differ over the same conversation, and nothing else. */
export interface Difference {
  readonly what: string;
  readonly why: string;
  /** Takes it out of the comparison. */
  settle(lines: readonly Line[], played: Played): readonly Line[];
}

const BY_CHANCE = /(?<=trace )\w+|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=after )[\d.]+(?= s:)/g;

/**
 * Everything in which backends may differ. Ids are not in here: they are never compared. Two backends that differ in anything else
 * over the same conversation do not keep the contract.
 */
export const MAY_DIFFER: readonly Difference[] = [
  {
    what: "notices",
    why: "`system`, `reset` and `unknown` speak of the state of a backend's own machinery; ours has nothing to say there.",
    settle: (lines) => lines.filter(({ kind }) => kind !== "system" && kind !== "reset" && kind !== "unknown"),
  },
  {
    what: "a failure that is told twice",
    why: "The CLI writes a provider's error like an answer, which becomes an `error` event. The failure itself is thrown by both.",
    settle: (lines) => lines.filter(({ kind }) => kind !== "error"),
  },
  {
    what: "the words of a failure",
    why: "They are the provider's or the CLI's. The code is compared.",
    settle: (lines) => lines.map((line) => (line.kind === "result" && line.failed !== "" ? { ...line, text: "…" } : line)),
  },
  {
    what: "the words of built-in tools",
    why: "Each backend has its own tools under the same names, and its own words for a call of no tool. What was done is compared, and whether it failed.",
    settle: (lines, played) => lines.map((line) => (isOfBackend(line, played) ? { ...line, text: "…" } : line)),
  },
  {
    what: "names made by chance, and instants",
    why: "Two runs of one backend differ in them too: trace ids, when a person spoke.",
    settle: (lines) => lines.map((line) => (line.kind === "tool_result" ? { ...line, text: line.text.replace(BY_CHANCE, "…") } : line)),
  },
  {
    what: "the order of results",
    why: "Calls of one reply run side by side; results come as they come.",
    settle: inOrderOfCalls,
  },
  {
    what: "how speech is cut",
    why: "One backend may give as two blocks or fragments what another gives as one.",
    settle: inWholeBlocks,
  },
  {
    what: "how an answer in a given form is handed in",
    why: "As text, or by a call of a tool of the backend's own. The outcome's text is compared.",
    settle: withoutHandingIn,
  },
  {
    what: "the numbers on a subagent's events",
    why: "Its iterations may be counted by themselves, or be those of the agent that started it.",
    settle: (lines) => lines.map((line) => (line.who === "" ? line : { ...line, iteration: 0 })),
  },
  {
    what: "whether a failed model call counts",
    why: "A call of which nothing came may be numbered, or not. Its tokens are compared.",
    settle: (lines) => lines.map((line) => (line.kind === "result" && line.failed !== "" ? uncounted(line) : line)),
  },
  {
    what: "cost",
    why: "Prices are the backend's own, and may be unknown. Tokens are compared.",
    settle: (lines) => lines.map((line) => (line.spent ? { ...line, spent: { ...line.spent, costUsd: undefined } } : line)),
  },
];

/** A query as it is compared: one line an event, what may differ taken out. */
export function transcriptOf(played: Played, settled: readonly Difference[] = MAY_DIFFER): readonly string[] {
  const lines = settled.reduce<readonly Line[]>((left, difference) => difference.settle(left, played), toLines(played.events));
  return lines.map(inWords);
}

function toLines(events: readonly Event[]): readonly Line[] {
  const calls = new Map<string, { readonly tool: string; readonly order: number }>();
  return events.map((event): Line => {
    if (event.kind === "tool_call") calls.set(event.payload.id, { tool: event.tool, order: calls.size });
    const call = event.kind === "tool_result" ? calls.get(event.payload.toolUseId) : undefined;
    return {
      kind: event.kind,
      tool: event.tool || (call?.tool ?? ""),
      text: event.text,
      who: "subagent" in event.payload ? String(event.payload.subagent ?? "") : "",
      iteration: "iteration" in event.payload ? Number(event.payload.iteration) : 0,
      failed: failureOf(event),
      ...(call ? { order: call.order } : {}),
      ...(event.kind === "result" ? { spent: spentBy(event) } : {}),
    };
  });
}

function failureOf(event: Event): string {
  if (event.kind === "tool_result") return event.payload.isError ? "error" : "";
  return event.kind === "result" && event.payload.isError ? (event.payload.errorKind ?? "error") : "";
}

function spentBy({ payload }: Event & { readonly kind: "result" }): Line["spent"] {
  const { numIterations: iterations, usage, costUsd } = payload;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  return { iterations, input: inputTokens, output: outputTokens, ...(costUsd === undefined ? {} : { costUsd }) };
}

function inWords({ kind, tool, text, who, iteration, failed, spent }: Line): string {
  const name = [who === "" ? "" : `${who}>`, kind, tool].filter((part) => part !== "").join(" ");
  const cost = spent?.costUsd === undefined ? "" : `, $${spent.costUsd}`;
  const end = spent ? ` (${spent.iterations} iterations, ${spent.input} in, ${spent.output} out${cost})` : "";
  return `${iteration} ${name}${failed === "" ? "" : `!${failed}`}: ${text}${end}`;
}

function uncounted(line: Line): Line {
  return { ...line, iteration: 0, ...(line.spent ? { spent: { ...line.spent, iterations: 0 } } : {}) };
}

/** A result whose words are the backend's own: of no tool of the program's, and no report of a subagent. */
function isOfBackend({ kind, tool, failed }: Line, { query: { agent } }: Played): boolean {
  if (kind !== "tool_result" || (tool === "Agent" && failed === "")) return false;
  return ![agent, ...agent.subagents].some(({ tools }) => tools.some((item) => typeof item !== "string" && item.name === tool));
}

function inOrderOfCalls(lines: readonly Line[]): readonly Line[] {
  const sorted = [...lines];
  for (let start = 0; start < sorted.length; start++) {
    let end = start;
    while (sorted[end]?.kind === "tool_result") end++;
    if (end - start > 1) {
      const results = sorted.slice(start, end).sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
      sorted.splice(start, results.length, ...results);
    }
    start = Math.max(start, end);
  }
  return sorted;
}

function inWholeBlocks(lines: readonly Line[]): readonly Line[] {
  const whole: Line[] = [];
  for (const line of lines) {
    const last = whole.at(-1);
    const isSpeech = line.kind === "text" || line.kind === "thinking" || line.kind === "delta";
    if (last && isSpeech && last.kind === line.kind && last.who === line.who && last.iteration === line.iteration) {
      whole[whole.length - 1] = { ...last, text: last.text + line.text };
    } else {
      whole.push(line);
    }
  }
  return whole;
}

function withoutHandingIn(lines: readonly Line[], { query, outcome }: Played): readonly Line[] {
  if (!query.agent.output) return lines;
  const own = query.agent.tools.map((item) => (typeof item === "string" ? item : item.name));
  const isHandingIn = ({ kind, tool }: Line) => kind === "text" || (kind.startsWith("tool_") && !own.includes(tool));
  const spent = { iterations: 0, input: 0, output: 0 };
  return lines
    .filter((line) => !isHandingIn(line))
    .map((line) => (line.kind === "result" ? { ...line, iteration: 0, text: outcome?.text ?? line.text, spent } : line));
}
