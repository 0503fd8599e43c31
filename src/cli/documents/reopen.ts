import { inEveryLanguage, translator } from "../../i18n/catalogue.ts";
import type { RunPlace } from "../../server/find-run.ts";
import { type Lineage, lineagePath, updateLineage, wakeState, withAmendment, withDocument, withStep } from "../../workbench/lineage.ts";
import { briefPart } from "../../workflow/brief-edit.ts";

const CLARIFY = inEveryLanguage("step.clarify");
const GOAL = inEveryLanguage("step.goal");

/**
 * After an edit with no run alive: the next start of what was begun here takes it in, also when all was finished. An edited brief has
 * the goal derived again and the work done by it; an edited goal has the work done by it. False when nothing was begun.
 */
export async function reopen(place: RunPlace, edited: "goal" | "brief", words: string): Promise<boolean> {
  const { workspace, runDir } = place;
  const { workflows } = await wakeState(workspace, runDir);
  const begun = Object.entries(workflows).filter(([name, { steps }]) => name === "go" || Object.keys(steps).some(isDocumentStep));
  for (const [workflow] of begun) {
    await updateLineage({ path: lineagePath(runDir), workspace }, workflow, (current) => current && told(current, edited, words));
  }
  return begun.length > 0;
}

/** Remembers an edited brief as taken in, for those that know the one before: it is told to them, and no news at the next start. */
export async function takeIn({ workspace, runDir }: RunPlace, before: string, after: string): Promise<void> {
  const { workflows } = await wakeState(workspace, runDir);
  for (const workflow of Object.keys(workflows)) {
    await updateLineage({ path: lineagePath(runDir), workspace }, workflow, (current) =>
      current?.documents?.brief === briefPart(before) ? withDocument(current, "brief", briefPart(after)) : current,
    );
  }
}

function isDocumentStep(step: string): boolean {
  return CLARIFY.includes(step) || GOAL.includes(step);
}

function told(lineage: Lineage, edited: "goal" | "brief", words: string): Lineage {
  const amended = withAmendment(lineage, words);
  if (edited === "goal") {
    const kept = Object.entries(lineage.steps).filter(([step]) => isDocumentStep(step)); // the goal stands as the person wrote it
    const asItStands = withDocument(amended, "seal", ""); // also after a round that was cut short: the person has seen it
    return { ...asItStands, steps: { ...asItStands.steps, ...Object.fromEntries(kept) } };
  }
  if (Object.keys(amended.steps).some((step) => GOAL.includes(step))) return amended;
  return withStep(amended, translator(lineage.language)("step.goal"), { amendment: words }); // its file was there before any run
}
