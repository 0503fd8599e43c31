import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerInStore, sendToStore } from "../../src/human/ask-store.ts";
import type { HumanChannel } from "../../src/human/channel.ts";
import { type Desk, makeDesk, seen, waiting } from "./desk.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk[Symbol.asyncDispose]());

/** Asks under `key` and leaves without closing, as a killed process does. */
async function askAndDie(channel: HumanChannel, key: string, question = "Tabs?"): Promise<void> {
  const before = channel.pending().length;
  channel.ask(question, { key }).catch(() => {});
  await waiting(channel, before + 1);
  await channel.flush();
}

test("a question is on disk before it is announced", async () => {
  const stored: string[] = [];
  const { readFileSync } = await import("node:fs");
  const channel = desk.open({ storePath: desk.store, onEvent: () => void stored.push(readFileSync(desk.store, "utf8")) });
  await askAndDie(channel, "s/c");
  expect(JSON.parse(stored[0] as string).asks).toMatchObject([{ id: "q1", question: "Tabs?", state: "asked", key: "s/c" }]);
});

test("after a kill the same call enters the same question: id, words and remaining time", async () => {
  await askAndDie(desk.open({ storePath: desk.store, timeoutMs: null, logPath: desk.log }), "s/c");
  desk.events.length = 0;
  await desk.clock.advance(400);
  const channel = desk.open({ storePath: desk.store, timeoutMs: 1000, logPath: desk.log });
  const asking = channel.ask("Tabs?", { key: "s/c" });
  await waiting(channel);
  expect(channel.pending()[0]).toMatchObject({ id: "q1", question: "Tabs?", waitedMs: 400 });
  await desk.clock.advance(599);
  expect(channel.pending()).toHaveLength(1);
  await desk.clock.advance(1);
  expect(await asking).toMatchObject({ id: "q1", state: "timeout" });
  expect(seen(desk.events)).toEqual(["q1 asked", "q1 timeout"]);
  await channel.close();
  expect((await desk.read(desk.log)).match(/## q1/g)).toHaveLength(1);
});

test("a question whose time ran out while nobody lived times out at once, with one event", async () => {
  await askAndDie(desk.open({ storePath: desk.store, timeoutMs: null }), "s/c");
  desk.events.length = 0;
  await desk.clock.advance(5000);
  const channel = desk.open({ storePath: desk.store, timeoutMs: 1000 });
  expect(await channel.ask("Tabs?", { key: "s/c" })).toMatchObject({ id: "q1", state: "timeout" });
  expect(seen(desk.events)).toEqual(["q1 timeout"]);
});

test("an answer left in the store while no process lived is found, once", async () => {
  await askAndDie(desk.open({ storePath: desk.store, logPath: desk.log }), "s/c");
  desk.events.length = 0;
  await desk.clock.advance(3000);
  const tries = await Promise.all(["one", "two", "three"].map((text) => answerInStore(desk.store, "q1", text, { clock: desk.clock })));
  expect(tries.filter(Boolean)).toHaveLength(1);
  expect(await answerInStore(desk.store, "q9", "no such question")).toBe(false);
  expect(await answerInStore(join(desk.folder, "none/asks.json"), "q1", "no such run")).toBe(false);

  const channel = desk.open({ storePath: desk.store, logPath: desk.log });
  const answer = ["one", "two", "three"][tries.indexOf(true)];
  expect(await channel.ask("Tabs?", { key: "s/c" })).toMatchObject({ id: "q1", state: "answered", answer, waitedMs: 3000 });
  expect(seen(desk.events)).toEqual(["q1 answered"]);
  await channel.close();
  expect(await desk.read(desk.log)).toContain(`q1 answered after 3.0 s:\n\n> ${answer}\n`);
  const again = desk.open({ storePath: desk.store });
  expect(await again.ask("Tabs?", { key: "s/c" })).toMatchObject({ answer });
  expect(seen(desk.events)).toEqual(["q1 answered"]);
});

test("a live channel takes an answer from the store and never overwrites it", async () => {
  const channel = desk.open({ storePath: desk.store });
  const asking = channel.ask("Tabs?", { key: "s/c" });
  await waiting(channel);
  expect(await answerInStore(desk.store, "q1", "from outside")).toBe(true);
  const other = channel.ask("Spaces?");
  expect(await asking).toMatchObject({ answer: "from outside" });
  await waiting(channel);
  channel.answer("q2", "no");
  await other;
  await channel.close();
});

test("an answer from outside that comes too late is kept as mail", async () => {
  const channel = desk.open({ storePath: desk.store });
  const asking = channel.ask("Tabs?");
  await waiting(channel);
  await answerInStore(desk.store, "q1", "from outside");
  expect(channel.answer("q1", "from the terminal")).toBe(true);
  expect(await asking).toMatchObject({ answer: "from the terminal" });
  await channel.flush();
  expect(channel.pendingMail.map((mail) => mail.text)).toEqual(["q1: from outside"]);
});

test("a new run takes over questions, mail and numbering; what is sent to the old store still arrives", async () => {
  const [first, second, third] = ["r1", "r2", "r3"].map((run) => join(desk.folder, "runs", run, "asks.json")) as [string, string, string];
  const old = desk.open();
  await old.attach({ storePath: first });
  await askAndDie(old, "s/c");
  await askAndDie(old, "s/d", "Spaces?");
  await old.send("and hurry");
  await old.flush();

  await desk.open().attach({ storePath: second, previous: first }); // lived shortly
  expect(await answerInStore(first, "q2", "by the old address")).toBe(true);
  await sendToStore(first, "one more thing");

  desk.events.length = 0;
  const channel = desk.open();
  await channel.attach({ storePath: third, previous: first });
  await channel.flush();
  expect(channel.pending()).toEqual([]);
  expect(channel.pendingMail.map((mail) => mail.text)).toEqual(["and hurry", "one more thing"]);
  expect(seen(desk.events)).toEqual(["q2 answered", "m2 queued"]);
  const asking = channel.ask("Tabs?", { key: "s/c" });
  await waiting(channel);
  expect(channel.answer("q1", "yes")).toBe(true);
  expect(await asking).toMatchObject({ id: "q1", answer: "yes" });
  expect(await channel.ask("Spaces?", { key: "s/d" })).toMatchObject({ id: "q2", answer: "by the old address" });
  expect(await channel.ask(" ")).toMatchObject({ id: "q3", state: "invalid" });
  expect((await channel.send("last")).id).toBe("m3");
  await channel.close();
});

test("a channel used for a second run begins without leftovers of the first; mail sent in between comes along", async () => {
  const channel = desk.open({ timeoutMs: 0 });
  await channel.send("before any run");
  await channel.attach({ storePath: join(desk.folder, "a/asks.json") });
  expect(channel.pendingMail.map((mail) => mail.text)).toEqual(["before any run"]);
  await channel.ask("Tabs?");
  await channel.attach({ storePath: join(desk.folder, "b/asks.json") });
  expect(channel.asks).toEqual([]);
  expect(channel.mail).toEqual([]);
  expect(await channel.ask("Tabs?")).toMatchObject({ id: "q1" });
  await channel.close();
});

test("a store cannot be changed under a waiting question, and a call cannot wait twice", async () => {
  const channel = desk.open();
  const asking = channel.ask("Tabs?", { key: "s/c" });
  await expect(channel.attach({ storePath: desk.store })).rejects.toMatchObject({ code: "bad-config" });
  await expect(channel.ask("Tabs?", { key: "s/c" })).rejects.toMatchObject({ code: "bad-input" });
  channel.answer("q1", "yes");
  await asking;
});

test("a store that cannot be understood is kept aside and reported, and the run goes on", async () => {
  await mkdir(dirname(desk.store), { recursive: true });
  await writeFile(desk.store, "{ half");
  const channel = desk.open({ storePath: desk.store, timeoutMs: 0 });
  expect(await channel.ask("Tabs?")).toMatchObject({ id: "q1", state: "timeout" });
  await channel.close();
  expect(channel.uiErrors.map(String)).toEqual([expect.stringContaining("could not be read and was kept as")]);
  expect((await readdir(dirname(desk.store))).filter((name) => name.includes("broken"))).toHaveLength(1);
  await expect(answerInStore(join(desk.folder, "runs"), "q1", "a folder")).rejects.toThrow();
});

test("a store that cannot be written is reported and stops nobody", async () => {
  await writeFile(join(desk.folder, "file"), "");
  const channel = desk.open({ storePath: join(desk.folder, "file/asks.json") });
  const asking = channel.ask("Tabs?");
  await waiting(channel);
  channel.answer("q1", "yes");
  expect(await asking).toMatchObject({ answer: "yes" });
  expect(await channel.send("hello")).toMatchObject({ amended: "", notSaved: expect.stringMatching(/ENOTDIR|EEXIST/) });
  expect(channel.uiErrors.length).toBeGreaterThan(0);
});

test("taking over loses and doubles nothing: neither after a move that a kill cut short, nor when ids clash", async () => {
  const [first, second] = ["r1", "r2"].map((run) => join(desk.folder, "runs", run, "asks.json")) as [string, string];
  const old = desk.open({ storePath: first, timeoutMs: null });
  await askAndDie(old, "s/c");
  await old.send("old words");
  await old.flush();
  await mkdir(dirname(second), { recursive: true });
  await writeFile(second, await desk.read(first)); // copied, and killed before the old store said so
  await desk.clock.advance(1);
  const clashing = { id: "m1", text: "new words", at: "2026-01-01T00:00:00.001Z", state: "queued", amended: "", unheard: true };
  const book = JSON.parse(await desk.read(second));
  await writeFile(second, JSON.stringify({ ...book, mail: [clashing] }));

  const channel = desk.open();
  await channel.attach({ storePath: second, previous: first });
  await channel.flush();
  expect(channel.asks.map((ask) => ask.id)).toEqual(["q1"]);
  expect(channel.pendingMail.map((mail) => [mail.id, mail.text])).toEqual([
    ["m1", "old words"],
    ["m2", "new words"],
  ]);
  await channel.attach({ storePath: second, previous: first });
  expect(channel.mail).toHaveLength(2);
  await channel.close();
});
