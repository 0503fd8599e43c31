import type { Agent } from "../agents/agent.ts";
import { readText } from "../core/files.ts";
import { replaceKeepingAmendments } from "../human/amendments.ts";
import type { HumanChannel } from "../human/channel.ts";
import type { Language } from "../i18n/catalogue.ts";
import { translator } from "../i18n/catalogue.ts";
import { clarifier, type RoleOptions } from "../runtime/roles.ts";
import { BRIEF_KEYS, type Brief, briefToMarkdown, parseBrief } from "../workbench/brief.ts";
import { briefPart } from "./brief-edit.ts";
import { BRIEF_KEY, type Ctx, REJECTION_KEY, scopeOf } from "./ctx.ts";
import { documentTool, HandedIn } from "./document-tools.ts";
import { keepReplaced, unfinishedDocument, unfinishedNote } from "./keep-replaced.ts";
import { Step } from "./step.ts";

export interface ClarifyOptions {
  /** Where the brief is frozen. */
  readonly briefPath: string;
  /** The person's request. */
  readonly prompt: string | ((ctx: Ctx) => string);
  /** Default: the catalogue's word. */
  readonly name?: string;
  readonly language?: Language;
  /** Replaces the clarifier; it gets the brief tool. */
  readonly agent?: Agent;
  /** Appended to the clarifier's rules. */
  readonly instructions?: string;
  /** Clarify even when a complete brief exists. */
  readonly alwaysAsk?: boolean;
  readonly onFail?: "stop" | "skip" | "continue";
  /** Re-asks when sections are missing. Default 1. */
  readonly retries?: number;
  readonly role?: RoleOptions;
}

const BRIEF_SCHEMA = {
  type: "object",
  properties: {
    goal: { type: "string", description: "What is wanted, with every concrete demand." },
    criteria: { type: "string", description: "How one will see that it is done. Markdown list." },
    boundaries: { type: "string", description: "How to work and what to leave alone." },
    unknowns: { type: "string", description: 'Open questions with the assumption made for each; "none" if none.' },
  },
  required: [...BRIEF_KEYS],
  additionalProperties: false,
} as const;

/**
 * Clarifies a request with a person (or with nobody) and freezes it as a brief of four sections. Only those travel to the next
 * step, never the dialogue. An existing complete brief skips the step; `ctx[step.name]` is the brief's Markdown either way.
 */
export function clarifyStep(channel: HumanChannel, options: ClarifyOptions): Step {
  const language = options.language ?? "en";
  const name = options.name ?? translator(language)("step.clarify");
  const briefs = new HandedIn<Brief>();
  const brief = documentTool<Brief>({
    name: "brief",
    description: "Hands in the brief: what is wanted, how one sees that it is done, boundaries, unknowns.",
    parameters: BRIEF_SCHEMA,
    read: readBrief,
    into: briefs,
  });
  const tools = [...channel.tools, brief];
  const agent =
    options.agent?.with({ tools: [...options.agent.tools, brief] }) ??
    clarifier({ ...options.role, instructions: options.instructions, tools });

  return new Step(name, {
    agent,
    async prompt(ctx) {
      const asked = typeof options.prompt === "string" ? options.prompt : options.prompt(ctx);
      return asked + unfinishedNote(options.briefPath, await unfinishedDocument(options.briefPath, isCompleteBrief));
    },
    retries: options.retries ?? 1,
    onFail: options.onFail,
    async when(ctx) {
      if (options.alwaysAsk) return true;
      const found = parseBrief((await readText(options.briefPath)) ?? "");
      if (!found.complete) return true;
      fillCtx(ctx, name, found.brief as Brief, language);
      return false;
    },
    async gate(result, ctx) {
      const handedIn = briefs.take(result.sessionId) ?? completeBrief(result.text);
      if (!handedIn) {
        ctx[REJECTION_KEY] = translator(language)("clarify.noBrief");
        return false;
      }
      await keepReplaced(options.briefPath, await unfinishedDocument(options.briefPath, isCompleteBrief), language, ctx);
      const text = briefToMarkdown(handedIn, language);
      await replaceKeepingAmendments(options.briefPath, text, language);
      if (options.briefPath === channel.amendPath) await scopeOf(ctx)?.keepDocument("brief", briefPart(text));
      fillCtx(ctx, name, handedIn, language);
      return true;
    },
    onReject: (result) => missingText(parseBrief(result.text).missing),
    reduce: (_result, ctx) => ctx[name],
  });
}

function readBrief(args: unknown): Brief | readonly string[] {
  const brief = args as Brief;
  const empty = BRIEF_KEYS.filter((key) => brief[key].trim() === "");
  return empty.length > 0 ? empty.map((key) => `"${key}" is empty`) : brief;
}

function isCompleteBrief(text: string): boolean {
  return parseBrief(text).complete;
}

function completeBrief(text: string): Brief | undefined {
  const parsed = parseBrief(text);
  return parsed.complete ? (parsed.brief as Brief) : undefined;
}

function missingText(missing: readonly string[]): string {
  return `The brief has not been handed in. Call the brief tool now with all four parts (${BRIEF_KEYS.join(", ")}); missing in your answer: ${missing.join(", ")}.`;
}

function fillCtx(ctx: Ctx, name: string, brief: Brief, language: Language): void {
  ctx[BRIEF_KEY] = brief;
  ctx[name] = briefToMarkdown(brief, language);
}
