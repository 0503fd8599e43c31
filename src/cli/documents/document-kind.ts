import type { Language, Translate } from "../../i18n/catalogue.ts";
import { translator } from "../../i18n/catalogue.ts";
import { BRIEF_KEYS, parseBrief } from "../../workbench/brief.ts";
import { parseGoal } from "../../workbench/goal-document.ts";
import type { Workbench } from "../../workbench/workbench.ts";

/** A document of a run that a person may see and change. */
export interface DocumentKind {
  /** Of its command. */
  readonly name: "goal" | "brief";
  path(workbench: Workbench, language: Language): string;
  /** Headings without content, to begin with. */
  skeleton(language: Language): string;
  /** What keeps it from being used, in the person's language; empty when it is complete. */
  problems(text: string, t: Translate): readonly string[];
  /** For programs. */
  data(text: string): object;
}

export const GOAL: DocumentKind = {
  name: "goal",
  path: (workbench, language) => workbench.goalPath(language),
  skeleton(language) {
    const t = translator(language);
    return `# ${t("section.goal")}\n\n\n\n# ${t("section.checklist")}\n\n- \n`;
  },
  problems(text, t) {
    const { statement, checks, problems } = parseGoal(text);
    const missing = [
      statement.trim() === "" && t("section.goal"),
      checks.every((check) => check.text.trim() === "") && t("section.checklist"),
    ];
    return [...missing.filter((part) => part !== false), ...problems];
  },
  data(text) {
    const { statement, checks, complete, problems } = parseGoal(text);
    return { complete, statement, checks, problems };
  },
};

export const BRIEF: DocumentKind = {
  name: "brief",
  path: (workbench, language) => workbench.briefPath(language),
  skeleton(language) {
    const t = translator(language);
    return BRIEF_KEYS.map((key) => `## ${t(`section.${key}`)}\n\n\n`).join("\n");
  },
  problems: (text, t) => parseBrief(text).missing.map((key) => t(`section.${key}`)),
  data: (text) => parseBrief(text),
};
