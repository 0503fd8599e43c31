import { type Clock, toInstant } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Translate } from "../i18n/catalogue.ts";
import type { Ledger } from "./ledger.ts";
import type { AmendReceipt, Letter, Mail } from "./mail.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Outlet } from "./outlet.ts";
import { amendmentEntry, mailEntry } from "./question-log.ts";

export interface MailDeskOptions {
  readonly mailbox: Mailbox;
  readonly ledger: Pick<Ledger, "isKept" | "ready" | "save" | "refresh">;
  readonly outlet: Pick<Outlet, "amend" | "emit" | "log">;
  readonly clock: Clock;
  readonly t: Translate;
  readonly logPath: string | undefined;
  readonly amendPath: string | undefined;
}

/** What the person says unasked: saved, appended, announced, then given to whoever takes it. */
export class MailDesk {
  readonly #options: MailDeskOptions;

  constructor(options: MailDeskOptions) {
    this.#options = options;
  }

  async send(text: string): Promise<Mail> {
    const opening = this.#options.ledger.ready();
    if (opening) await opening;
    return this.receive(this.#options.mailbox.write(text));
  }

  /** Mail that lies in the mailbox and was not yet taken notice of. */
  async receive(letter: Letter): Promise<Mail> {
    const { ledger, outlet, t, logPath, amendPath } = this.#options;
    const failure = ledger.isKept ? await ledger.save() : undefined;
    const receipt = amendPath === undefined ? { amended: "" } : await outlet.amend({ at: letter.at, label: letter.id, text: letter.text });
    letter.hear(failure && receipt.amended === "" ? { amended: "", notSaved: messageOf(failure.error) } : receipt);
    outlet.log(mailEntry(letter, t, logPath));
    outlet.emit(letter.event());
    await ledger.save(); // who has the receipt may die: the words are not taken for news again
    return letter;
  }

  async amend(text: string, label: string): Promise<AmendReceipt> {
    const { outlet, clock, t, logPath } = this.#options;
    const amendment = { at: toInstant(clock.now()), label, text };
    const receipt = await outlet.amend(amendment);
    outlet.log(amendmentEntry(amendment, receipt, t, logPath));
    return receipt;
  }

  async take(key: string | undefined): Promise<readonly Mail[]> {
    const { mailbox, ledger, outlet } = this.#options;
    await ledger.refresh();
    const { again, fresh } = mailbox.take(key);
    for (const letter of fresh) outlet.emit(letter.event());
    if (fresh.length > 0) await ledger.save();
    return [...again, ...fresh];
  }
}
