import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { FlowerError } from "../core/errors.ts";
import { readText } from "../core/files.ts";
import { translator } from "../i18n/catalogue.ts";
import type { Event } from "../messages/event.ts";
import { type HandoffDocument, handoffTitles, handoffToMarkdown, parseHandoff } from "../workbench/handoff-document.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { assembleHandoff } from "./assembled-handoff.ts";
import type { ContextHandoff, HandoffPlan } from "./context-handoff.ts";
import type { AttemptEnd } from "./decide.ts";
import type { HandedOver } from "./handoff-tool.ts";
import { type Succession, successorPrompt, writingPrompt } from "./successor-prompt.ts";

/** What the end of a full session needs of the step it belongs to. */
export interface HandOverPlace {
  readonly handoff: ContextHandoff;
  /** Names the document. */
  readonly step: string;
  readonly workbench: Workbench;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The provider refused a request as too long. */
  readonly overflow: boolean;
  /** The last tool calls, oldest first. */
  readonly calls: readonly string[];
  publish(event: Event): void;
  /** Gives the full session a last prompt; nothing but the document is to come of it. */
  ask(prompt: string): Promise<AttemptEnd>;
  /** Waits before the second try. */
  wait(error: FlowerError): Promise<void>;
  /** All that the next session is told beside the document. */
  succession(): Promise<Omit<Succession, "handoff">>;
}

/** Makes the prompt of the session that takes over, by what the files say then. */
export type TakeOver = () => Promise<string>;

/**
 * Lets a session end whose context is full: its document is written, checked and on disk before the next session begins. Gives
 * what that session is told, or why there is none. The file is what counts: it is read whenever the session is about to begin, with
 * whatever a person changed in it.
 */
export async function handOver(place: HandOverPlace): Promise<{ readonly takeOver: TakeOver } | (HandoffPlan & { readonly do: "stop" })> {
  const { handoff, workbench } = place;
  const plan = handoff.plan(place.overflow);
  if (plan.do === "stop") return plan;
  place.publish(handoff.event("writing"));
  const written = plan.do === "write" ? await write(place) : undefined;
  place.signal.throwIfAborted();
  const document = written ?? (await assemble(place, (await place.succession()).task));
  const path = workbench.handoffPath(place.step);
  const markdown = handoffToMarkdown(document, workbench.language);
  await workbench.retire(path, place.clock.now());
  await workbench.write(path, markdown);
  const stop = handoff.succeed(written === undefined);
  if (stop) return stop;
  place.publish(handoff.doneEvent({ path, sections: handoffTitles(document, workbench.language), degraded: written === undefined }));
  return { takeOver: takeOverBy(path, markdown, place.succession) };
}

/** `markdown`: what counts when the file is gone by then. */
export function takeOverBy(path: string, markdown: string, succession: HandOverPlace["succession"]): TakeOver {
  return async () => successorPrompt({ ...(await succession()), handoff: { path, text: (await readText(path)) ?? markdown } });
}

/** The session's own document; undefined when two tries did not bring one. */
async function write(place: HandOverPlace): Promise<Partial<HandoffDocument> | undefined> {
  const { desk } = place.handoff;
  let missing: readonly string[] = [];
  for (let tries = 1; tries <= 2; tries++) {
    desk.open();
    const end = await place.ask(writingPrompt(missing)).finally(() => desk.close());
    if (desk.handedIn) return withScene(desk.handedIn, place.workbench);
    if (place.signal.aborted) return undefined;
    if (end.kind === "failed") {
      if (!end.error.retryable || tries === 2) return undefined;
      await place.wait(end.error);
      continue;
    }
    const parsed = parseHandoff(end.outcome.text);
    if (parsed.missing.length === 0) return { ...parsed.document, scene: markGone(parsed.document.scene ?? "", place.workbench) };
    missing = parsed.missing;
  }
  return undefined;
}

/** Paths that are not there are marked, so that the successor does not look for them. */
function withScene(handedIn: HandedOver, workbench: Workbench): Partial<HandoffDocument> {
  const gone = translator(workbench.language)("handoff.gone");
  const lines = handedIn.scene
    .map((path) => path.trim())
    .filter((path) => path !== "")
    .map((path) => (isThere(path, workbench.workspace) ? `- ${path}` : `- ${path} ${gone}`));
  return { ...handedIn, scene: lines.join("\n") };
}

const PATH_ITEM = /^\s*(?:[-*+]|\d+[.)])\s+`?([^\s`]*[./][^\s`]*)`?\s*$/;

/** The same in a scene that was written as Markdown, of the items that hold nothing but a path. */
function markGone(scene: string, workbench: Workbench): string {
  const gone = translator(workbench.language)("handoff.gone");
  const mark = (line: string) => {
    const path = PATH_ITEM.exec(line)?.[1];
    return path === undefined || isThere(path, workbench.workspace) ? line : `${line.trimEnd()} ${gone}`;
  };
  return scene.split("\n").map(mark).join("\n");
}

function isThere(path: string, workspace: string): boolean {
  return existsSync(isAbsolute(path) ? path : join(workspace, path));
}

async function assemble(place: HandOverPlace, task: string): Promise<HandoffDocument> {
  const { workbench, calls } = place;
  await workbench.refresh();
  const index = (await readText(workbench.indexPath)) ?? "";
  return assembleHandoff({ task, workspace: workbench.workspace, index, calls, language: workbench.language });
}
