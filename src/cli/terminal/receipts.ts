import type { Translate } from "../../i18n/catalogue.ts";

/** What became of a person's words on disk, as the channel tells it. */
interface Receipt {
  readonly amended: string;
  readonly notSaved?: string | undefined;
}

/** Of mail: queued, and saved where, or not saved and why. */
export function mailReceipt(t: Translate, { id, amended, notSaved }: Receipt & { readonly id: string }): string {
  if (amended !== "") return t("ui.mail.saved", { id, path: amended });
  return [t("ui.mail.unsaved", { id }), ...whyNot(t, notSaved)].join(" ");
}

/** Of words at an interrupt: where they are saved, or why not. Nothing of those that nobody keeps. */
export function interruptReceipt(t: Translate, words: string, { amended, notSaved }: Receipt): string {
  const said = t(words.trim() === "" ? "cli.interrupt.silent" : "cli.interrupt.done");
  const kept = amended === "" ? whyNot(t, notSaved) : [t("ui.words.saved", { path: amended })];
  return [said, ...kept].join(" ");
}

function whyNot(t: Translate, reason: string | undefined): readonly string[] {
  return reason === undefined ? [] : [t("human.logMailNotSaved", { reason })];
}
