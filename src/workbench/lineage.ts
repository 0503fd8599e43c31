import { join } from "node:path";
import { replaceFile, setAside, withFileLock } from "../core/files.ts";
import type { Json } from "../core/json.ts";
import type { Language } from "../i18n/catalogue.ts";
import type { RunOutcome } from "../messages/event.ts";
import { type LineageFile, type LineageProbe, probeLineage, toReal } from "./lineage-file.ts";

/** How far a step has come, over all runs of the chain. */
export interface LineageStep {
  /** Known as soon as the backend has named it. */
  readonly sessionId?: string;
  /** That session has left its handoff document to one that has not begun; a later start begins it. */
  readonly handedOver?: boolean;
  readonly finished: boolean;
  /** The round it is in, from 1. */
  readonly round: number;
  /** The prompt of that round while the session does not hold it yet; a later start gives it again. */
  readonly prompt?: string;
  /** The finished step's text. */
  readonly text?: string;
  /** What the finished step's `reduce` made of it, when JSON can hold that. */
  readonly value?: Json;
  /** What the person has added since, as long as the step has not passed with it. */
  readonly amendment?: string;
  /** What the person said at interrupts and no session of the step holds yet; a later start says it. */
  readonly unheard?: readonly string[];
  /** The work of this round is done and waits for its gate's answer; a later start goes straight there. */
  readonly worked?: boolean;
  /** What the finished step was judged by, as the step names it; one that is judged by something else now is put before its gate again. */
  readonly judgedBy?: string;
}

/** What a person decided about the limits of a run. */
export interface LineageBudget {
  /** How often they were asked. */
  readonly asked: number;
  /** By limit: what it was at the start, and what they raised it to. */
  readonly raised: Readonly<Partial<Record<"usd" | "tokens" | "wallMs", { readonly from: number; readonly to: number }>>>;
}

/**
 * Brief and goal as they were handed in, or as a person's edit was last taken in: what differs from it since, a person wrote. The goal
 * without the checks that a person wrote.
 */
export interface LineageDocuments {
  readonly brief?: string;
  readonly goal?: string;
  /** The goal file as it was when the round of work under way began, in the form of whoever seals it; empty when no round is. */
  readonly seal?: string;
  /** When each goal file was last frozen by a goal-setter, as JSON by its path: a goal that was set again is another one, with the same text too. */
  readonly frozen?: string;
  /** The checks that nobody can verify here and a person has accepted, as a JSON list of their texts. */
  readonly accepted?: string;
}

/** What the next start of a workflow in the same folder goes on from. */
export interface Lineage {
  /** What the person asked for. */
  readonly request: string;
  /** What the person added at later starts, oldest first. */
  readonly amendments?: readonly string[];
  readonly language: Language;
  /** How often it was woken. */
  readonly woke: number;
  /** The runs of the chain, oldest first. */
  readonly runs: readonly string[];
  /** By base step name: rounds, retries and successors of a context handoff update it; judge and oracle never enter. */
  readonly steps: Readonly<Record<string, LineageStep>>;
  readonly budget?: LineageBudget;
  readonly documents?: LineageDocuments;
  /** How the last run ended; undefined while it runs, or when it was killed. */
  readonly outcome?: RunOutcome;
}

/** Which lineage file, and for which workspace it must have been written. */
export interface LineagePlace {
  readonly path: string;
  readonly workspace: string;
  readonly now?: () => number;
}

/** Why a start is a fresh one. `missing` is the ordinary first start. */
export interface LineageNotice {
  readonly code: "missing" | "broken" | "foreign";
  /** Where the unusable file is now. */
  readonly aside?: string;
}

export interface LineageReading {
  readonly lineage?: Lineage;
  /** Given exactly when `lineage` is not. */
  readonly notice?: LineageNotice;
}

/** Where a run directory keeps its lineage. */
export function lineagePath(runDir: string): string {
  return join(runDir, "lineage.json");
}

/** A lineage that begins with this run. */
export function newLineage(request: string, language: Language, run: string): Lineage {
  return { request, language, woke: 0, runs: [run], steps: {} };
}

/** The lineage with one step brought up to date. */
export function withStep(lineage: Lineage, step: string, change: Partial<LineageStep>): Lineage {
  const old = Object.hasOwn(lineage.steps, step) ? lineage.steps[step] : undefined;
  return { ...lineage, steps: { ...lineage.steps, [step]: { finished: false, round: 1, ...old, ...change } } };
}

/** The lineage with a document as it is now handed in or taken in. */
export function withDocument(lineage: Lineage, name: keyof LineageDocuments, text: string): Lineage {
  return { ...lineage, documents: { ...lineage.documents, [name]: text } };
}

/** The lineage with what the person adds now: every step that has begun, and those named, are to take it in, whoever runs them then. */
export function withAmendment(lineage: Lineage, words: string, steps: readonly string[] = []): Lineage {
  return withWords({ ...lineage, amendments: [...(lineage.amendments ?? []), words] }, words, steps);
}

/** The lineage whose steps, begun or named, have these words of the person to take in yet. */
export function withWords(lineage: Lineage, words: string, steps: readonly string[] = []): Lineage {
  return [...new Set([...Object.keys(lineage.steps), ...steps])].reduce((changed, name) => {
    const waiting = Object.hasOwn(lineage.steps, name) ? lineage.steps[name]?.amendment : undefined;
    return withStep(changed, name, { amendment: waiting === undefined ? words : `${waiting}\n\n${words}` });
  }, lineage);
}

/**
 * What is known of a workflow, or why nothing is. Never throws: a file that is broken or of another workspace is set
 * aside, and the start is a fresh one.
 */
export async function readLineage(place: LineagePlace, workflow: string): Promise<LineageReading> {
  const probed = await probeLineage(place);
  if (probed.kind === "broken" || probed.kind === "foreign") return { notice: await giveUp(place) };
  const lineage = probed.kind === "known" ? lookUp(probed.file, workflow) : undefined;
  return lineage ? { lineage } : { notice: { code: "missing" } };
}

/**
 * Changes the lineage of a workflow, starting from what the file says *now*; undefined removes it. Atomic, and safe for
 * several processes. Throws only when the file cannot be written.
 */
export async function updateLineage(
  place: LineagePlace,
  workflow: string,
  change: (current: Lineage | undefined) => Lineage | undefined,
): Promise<Lineage | undefined> {
  return withFileLock(place.path, async () => {
    const probed = await probeLineage(place);
    if (probed.kind === "broken" || probed.kind === "foreign") await setAside(place.path, clockOf(place)());
    const workflows = new Map(Object.entries(probed.kind === "known" ? probed.file.workflows : {}));
    const changed = change(workflows.get(workflow));
    if (changed) workflows.set(workflow, changed);
    else workflows.delete(workflow);
    const file: LineageFile = { workspace: await toReal(place.workspace), workflows: Object.fromEntries(workflows) };
    await replaceFile(place.path, `${JSON.stringify(file, undefined, 2)}\n`);
    return changed;
  });
}

/** Ends a chain: its lineage moves into `folder` (usually the workbench's archive) and the next start is a fresh one. */
export async function archiveLineage(place: LineagePlace, workflow: string, folder: string): Promise<void> {
  const probed = await probeLineage(place);
  const old = probed.kind === "known" ? lookUp(probed.file, workflow) : undefined;
  if (!old) return;
  await replaceFile(join(folder, "lineage.json"), `${JSON.stringify({ workflow, ...old }, undefined, 2)}\n`);
  await updateLineage(place, workflow, () => undefined);
}

/** What a start in this folder would find. */
export interface WakeState {
  readonly kind: LineageProbe["kind"];
  /** By workflow name; empty unless `kind` is `known`. */
  readonly workflows: Readonly<Record<string, Lineage>>;
}

/** Looks whether there is something to go on with. Changes nothing and never throws. */
export async function wakeState(workspace: string, runDir: string): Promise<WakeState> {
  const probed = await probeLineage({ path: lineagePath(runDir), workspace });
  return { kind: probed.kind, workflows: probed.kind === "known" ? probed.file.workflows : {} };
}

/** Sets an unusable file aside, unless another process has done so by now. */
async function giveUp(place: LineagePlace): Promise<LineageNotice> {
  let code: LineageNotice["code"] = "missing";
  try {
    return await withFileLock(place.path, async () => {
      const { kind } = await probeLineage(place);
      if (kind !== "broken" && kind !== "foreign") return { code };
      code = kind;
      return { code, aside: await setAside(place.path, clockOf(place)()) };
    });
  } catch {
    return { code: code === "missing" ? "broken" : code };
  }
}

function clockOf(place: LineagePlace): () => number {
  return place.now ?? Date.now;
}

function lookUp(file: LineageFile, workflow: string): Lineage | undefined {
  return Object.hasOwn(file.workflows, workflow) ? file.workflows[workflow] : undefined;
}
