import { dirname, relative, resolve } from "node:path";
import { FlowerError, isFlowerError } from "../core/errors.ts";
import { readText, replaceFile, setAside, withFileLock } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { StoredAsk } from "./ask.ts";
import type { StoredMail } from "./mail.ts";
import { nextId } from "./number.ts";

/** The content of a run's `asks.json`: its questions and mail, and those it took over from the run before. */
export interface AskBook {
  readonly version: 1;
  readonly asks: readonly StoredAsk[];
  readonly mail: readonly StoredMail[];
  /** The book of a later run that took everything over, relative to this one's folder. Nothing is read or written here any more. */
  readonly movedTo?: string;
}

const EMPTY: AskBook = { version: 1, asks: [], mail: [] };

type Change = (book: AskBook, path: string) => AskBook | undefined | Promise<AskBook | undefined>;

/** Changes the book while no other process can. An undefined change writes nothing. */
export async function updateBook(path: string, change: Change): Promise<void> {
  await withFileLock(path, async () => {
    const changed = await change(await readBook(path), path);
    if (changed) await replaceFile(path, `${JSON.stringify(changed, null, 2)}\n`);
  });
}

/** Like `updateBook`, on the book that took this one over, if one did. */
export async function updateLastBook(path: string, change: Change): Promise<void> {
  const seen = new Set<string>();
  let next: string | undefined = resolve(path);
  while (next !== undefined && !seen.has(next)) {
    const at: string = next;
    seen.add(at);
    next = undefined;
    await updateBook(at, (book) => {
      if (book.movedTo === undefined) return change(book, at);
      next = resolve(dirname(at), book.movedTo);
      return undefined;
    });
  }
}

/** Takes over what an earlier run's book holds. The old book then points here, so that a late answer sent to it arrives. */
export async function moveBook(from: string, to: string): Promise<void> {
  if ((await readText(from)) === undefined) return;
  const target = resolve(to);
  await updateLastBook(from, async (old, at) => {
    if (at === target) return undefined;
    await updateBook(target, (book) => ({ ...book, asks: merge("q", old.asks, book.asks), mail: merge("m", old.mail, book.mail) }));
    return { ...old, movedTo: relative(dirname(at), target) };
  });
}

/** Old items first. The same item twice (a move that a kill cut short) stands once; another item with a taken id gets a new one. */
function merge<T extends StoredAsk | StoredMail>(letter: "q" | "m", old: readonly T[], own: readonly T[]): readonly T[] {
  const merged = [...old];
  for (const item of own) {
    const twin = merged.findIndex((other) => other.id === item.id);
    if (twin < 0) merged.push(item);
    else if (bornAt(merged[twin] as T) === bornAt(item)) merged[twin] = item;
    else merged.push({ ...item, id: nextId(letter, [...merged, ...own]) });
  }
  return merged;
}

function bornAt(item: StoredAsk | StoredMail): string {
  return "askedAt" in item ? item.askedAt : item.at;
}

/** The book as it stands; an empty one when there is no file. Throws when the file is not a book. */
export async function readBook(path: string): Promise<AskBook> {
  const text = await readText(path);
  if (text === undefined) return EMPTY;
  const book = parseJson(text);
  if (isBook(book)) return book;
  throw new FlowerError("bad-input", `${path} is not a file of questions and mail (version 1). Repair it, or move it away.`);
}

/** Moves a file that is not a book out of the way, so that a run can go on. Returns what went wrong, or undefined when nothing did. */
export async function setAsideIfBroken(path: string, now: number): Promise<FlowerError | undefined> {
  let problem: FlowerError | undefined;
  await withFileLock(path, async () => {
    try {
      await readBook(path);
    } catch (cause) {
      if (!isFlowerError(cause, "bad-input")) throw cause;
      const aside = await setAside(path, now);
      problem = new FlowerError("bad-input", `${path} could not be read and was kept as ${aside}; the run goes on with a new one.`, {
        cause,
      });
    }
  });
  return problem;
}

function isBook(value: unknown): value is AskBook {
  return isRecord(value) && value["version"] === 1 && isList(value["asks"], isStoredAsk) && isList(value["mail"], isStoredMail);
}

function isList(value: unknown, isItem: (item: Record<string, unknown>) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isRecord(item) && isItem(item));
}

function isStoredAsk(item: Record<string, unknown>): boolean {
  const texts = ["id", "question", "askedAt", "purpose", "state", "answer"].every((key) => typeof item[key] === "string");
  return texts && areStrings(item["options"]) && areStrings(item["path"]) && !Number.isNaN(Date.parse(String(item["askedAt"])));
}

function isStoredMail(item: Record<string, unknown>): boolean {
  return ["id", "text", "at", "state", "amended"].every((key) => typeof item[key] === "string");
}

function areStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
