import { join } from "node:path";
import { FlowerError } from "../core/errors.ts";
import { inEveryLanguage, type Language, translator } from "../i18n/catalogue.ts";
import type { RunOutcome } from "../messages/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { parseBrief } from "../workbench/brief.ts";
import {
  archiveLineage,
  type Lineage,
  type LineageBudget,
  type LineageDocuments,
  type LineageNotice,
  type LineagePlace,
  type LineageStep,
  newLineage,
  readLineage,
  updateLineage,
  withAmendment,
  withDocument,
  withStep,
  withWords,
} from "../workbench/lineage.ts";
import { checkRunFolder } from "../workbench/run-folder.ts";
import { acquireRunLock } from "../workbench/run-lock.ts";
import { changedLines } from "./goal-seal.ts";

export interface ChainOptions {
  readonly workflow: string;
  /** What the person asks for now; undefined = go on with what was asked before. */
  readonly request: string | undefined;
  readonly language: Language;
  /** Put the earlier chain into the archive and begin a new one. */
  readonly fresh: boolean;
  /** False: never go on from an earlier run. */
  readonly continuous: boolean;
  /** Without a request there must be an earlier run, or at least a brief, to go on with. */
  readonly needsRequest: boolean;
  /** The names of the workflow's steps. */
  readonly steps: readonly string[];
  /** Keeps an amendment where people and agents read it; done before the lineage says that it was heard. */
  readonly onAmend: (words: string) => Promise<unknown>;
  /** The brief as it stands, without what was added at its end; undefined when there is none. */
  readonly readBrief: () => Promise<string | undefined>;
}

/**
 * A run's place among the runs of one workflow in one folder: what the earlier ones left, and what this one adds. While it
 * is open no other process can run the same workflow there.
 */
export class Chain {
  /** Set when this run goes on from an earlier one. */
  readonly woke: Lineage | undefined;
  /** No earlier run is known, but a whole brief is there: it is gone on with, and what the person asks for now is added to it. */
  readonly foundBrief: boolean;
  /** The person's words at the start, when they are added to what was there before. */
  readonly amendment: string | undefined;
  /** The lines of the brief that a person has changed by hand since the last run. They count as words of the person. */
  readonly edited: string | undefined;
  /** Why an existing lineage could not be used. */
  readonly notice: LineageNotice | undefined;
  /** Aborts when another process took this workflow over, because this one was away for too long. */
  readonly lost: AbortSignal;
  readonly #place: LineagePlace;
  readonly #workflow: string;
  readonly #release: () => Promise<void>;
  #lineage: Lineage;

  private constructor(setup: ChainSetup) {
    this.woke = setup.woke;
    this.foundBrief = setup.foundBrief;
    this.amendment = setup.amendment;
    this.edited = setup.edited;
    this.notice = setup.notice;
    this.lost = setup.lost;
    this.#place = setup.place;
    this.#workflow = setup.workflow;
    this.#release = setup.release;
    this.#lineage = setup.lineage;
  }

  /** Throws `run-busy` when another live process runs this workflow here, `bad-input` when there is nothing to do. */
  static async open(runtime: Runtime, options: ChainOptions): Promise<Chain> {
    const { workflow, request } = options;
    const place: LineagePlace = { path: runtime.books.lineagePath, workspace: runtime.workspace, now: () => runtime.clock.now() };
    await checkRunFolder(runtime.runDir);
    const lock = await acquireRunLock(runtime.runDir, workflow, { runId: runtime.runId, clock: runtime.clock });
    try {
      if (options.fresh) await archive(runtime, place, workflow);
      const { lineage: old, notice } = options.continuous ? await readLineage(place, workflow) : {};
      const brief = await options.readBrief();
      const foundBrief = !old && isGoneOnWith(brief, options.steps);
      if (!old && !foundBrief && request === undefined && options.needsRequest) throw nothingToGoOnWith();
      const amendment = (old ? !said(old).includes(request?.trim() ?? "") : foundBrief) ? request : undefined;
      const edited = old && editedLines(old, brief);
      const edit = edited === undefined ? undefined : translator(old?.language ?? options.language)("brief.edited", { changes: edited });
      const words = [edit, amendment].filter((said) => said !== undefined);
      for (const said of words) await options.onAmend(said);
      const lineage = await updateLineage(place, workflow, () => {
        const fresh = newLineage(request ?? "", options.language, runtime.runId);
        const begun = old
          ? wake(old, runtime.runId, words, options.steps)
          : amendment === undefined
            ? fresh
            : withWords(fresh, amendment, options.steps);
        return brief === undefined && edited === undefined ? begun : withDocument(begun, "brief", brief ?? "");
      });
      if (!lineage) throw new FlowerError("unknown", "The lineage was not written.");
      runtime.books.earlier = old?.runs ?? [];
      return new Chain({
        woke: old,
        foundBrief,
        amendment,
        edited,
        notice,
        place,
        workflow,
        lost: lock.signal,
        release: () => lock.release(),
        lineage,
      });
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** What is being done: the first request of the chain, and what was added at later starts. */
  get request(): string {
    return [this.#lineage.request, ...(this.#lineage.amendments ?? [])].join("\n\n");
  }

  step(name: string): LineageStep | undefined {
    return Object.hasOwn(this.#lineage.steps, name) ? this.#lineage.steps[name] : undefined;
  }

  /** What a person decided about the limits. */
  get budget(): LineageBudget {
    return this.#lineage.budget ?? { asked: 0, raised: {} };
  }

  async noteBudget(budget: LineageBudget): Promise<void> {
    const updated = await updateLineage(this.#place, this.#workflow, (current) => ({ ...(current ?? this.#lineage), budget }));
    if (updated) this.#lineage = updated;
  }

  /** Records how far a step has come, at once. */
  async note(name: string, change: Partial<LineageStep>): Promise<void> {
    const updated = await updateLineage(this.#place, this.#workflow, (current) => withStep(current ?? this.#lineage, name, change));
    if (updated) this.#lineage = updated;
  }

  /** What a document was when it was last handed in or taken in. */
  document(name: keyof LineageDocuments): string | undefined {
    return this.#lineage.documents?.[name];
  }

  /** Records a document as handed in, or taken in. Gives what it was before, also when another process has recorded that. */
  async keepDocument(name: keyof LineageDocuments, text: string): Promise<string | undefined> {
    let before: string | undefined;
    const updated = await updateLineage(this.#place, this.#workflow, (current) => {
      before = (current ?? this.#lineage).documents?.[name];
      return withDocument(current ?? this.#lineage, name, text);
    });
    if (updated) this.#lineage = updated;
    return before;
  }

  /** Records the end and lets others run. */
  async close(outcome: RunOutcome): Promise<void> {
    try {
      await updateLineage(this.#place, this.#workflow, (current) => ({ ...(current ?? this.#lineage), outcome }));
    } finally {
      await this.#release();
    }
  }
}

interface ChainSetup {
  readonly woke: Lineage | undefined;
  readonly foundBrief: boolean;
  readonly amendment: string | undefined;
  readonly edited: string | undefined;
  readonly notice: LineageNotice | undefined;
  readonly lost: AbortSignal;
  readonly place: LineagePlace;
  readonly workflow: string;
  readonly release: () => Promise<void>;
  readonly lineage: Lineage;
}

const CLARIFY = inEveryLanguage("step.clarify");

/** A whole brief beside which nobody would clarify: what is asked for now would be heard by no one. Other workflows than those that clarify have no use for it. */
function isGoneOnWith(brief: string | undefined, steps: readonly string[]): boolean {
  return brief !== undefined && steps.some((step) => CLARIFY.includes(step)) && parseBrief(brief).complete;
}

/** Everything that was asked for in this chain, trimmed. */
function said(lineage: Lineage): readonly string[] {
  return [lineage.request, ...(lineage.amendments ?? [])].map((text) => text.trim());
}

/** What a person has changed in the brief by hand; undefined when nothing, or when it is not known how it was. */
function editedLines({ documents }: Lineage, brief = ""): string | undefined {
  const known = documents?.brief;
  return known === undefined || known === brief ? undefined : changedLines(known, brief);
}

function wake(old: Lineage, runId: string, words: readonly string[], steps: readonly string[]): Lineage {
  const { outcome: _ended, ...rest } = old;
  const woken: Lineage = { ...rest, woke: old.woke + 1, runs: [...old.runs, runId] };
  return words.reduce((lineage, said) => withAmendment(lineage, said, steps), woken);
}

async function archive(runtime: Runtime, place: LineagePlace, workflow: string): Promise<void> {
  const now = runtime.clock.now();
  const folder = (await runtime.workbench.archive(now)) ?? runtime.workbench.archiveFolder(now);
  await archiveLineage(place, workflow, folder);
}

export function nothingToGoOnWith(): FlowerError {
  return new FlowerError("bad-input", "There is nothing to go on with here. Say what is to be done.");
}

/** Where the earlier runs' files of this name lie, the newest first. A run that died at its start has none. */
export function earlierRunFiles(runtime: Runtime, chain: Chain, name: string): readonly string[] {
  return (chain.woke?.runs ?? []).map((runId) => join(runtime.runDir, runId, name)).toReversed();
}
