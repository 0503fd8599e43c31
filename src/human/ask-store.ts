import { type Clock, systemClock, toInstant } from "../core/clock.ts";
import { readText } from "../core/files.ts";
import { updateLastBook } from "./ask-book.ts";
import type { StoredMail } from "./mail.ts";
import { nextId } from "./number.ts";

/**
 * Answers a question of a run whose process is not there: the run finds the answer when it wakes. False when the question does
 * not exist or waits no longer; of several answers exactly one wins.
 */
export async function answerInStore(
  storePath: string,
  id: string,
  text: string,
  options: { readonly clock?: Clock } = {},
): Promise<boolean> {
  if ((await readText(storePath)) === undefined) return false;
  const { clock = systemClock } = options;
  let answered = false;
  await updateLastBook(storePath, (book) => {
    const open = book.asks.find((ask) => ask.id === id && ask.state === "asked");
    if (!open) return undefined;
    answered = true;
    const waitedMs = Math.max(0, clock.now() - Date.parse(open.askedAt));
    const settled = { ...open, state: "answered", answer: text, waitedMs, unheard: true } as const;
    return { ...book, asks: book.asks.map((ask) => (ask === open ? settled : ask)) };
  });
  return answered;
}

/** Leaves mail for a run whose process is not there: it is appended, announced and delivered when the run wakes. */
export async function sendToStore(storePath: string, text: string, options: { readonly clock?: Clock } = {}): Promise<StoredMail> {
  const { clock = systemClock } = options;
  let mail: StoredMail | undefined;
  await updateLastBook(storePath, (book) => {
    mail = { id: nextId("m", book.mail), text, at: toInstant(clock.now()), state: "queued", amended: "", unheard: true };
    return { ...book, mail: [...book.mail, mail] };
  });
  return mail as unknown as StoredMail;
}
