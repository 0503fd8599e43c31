import { expect, test, vi } from "vitest";
import { createApp } from "../../src/server/app.ts";
import { type ServedStage, serveStage } from "./served-run.ts";

const ASK = { calls: [{ name: "mcp__human__ask", args: { question: "Red or blue?", options: ["red", "blue"] } }] };

/** Begins the run and waits for its question; `ended` resolves when it is over. */
async function asked(served: ServedStage): Promise<{ readonly ended: Promise<unknown> }> {
  const ended = served.start();
  await vi.waitFor(() => expect(served.channel.pending()).toHaveLength(1), { timeout: 20_000 });
  return { ended };
}

test("a run is listed and its state told: step, question, cost, end", async () => {
  const served = serveStage([{ ...ASK, usage: { inputTokens: 900, outputTokens: 10, costUsd: 0.25 } }, "blue it is"]);
  const { ended } = await asked(served);
  await served.stage.runtime.books.flush();
  const { runs } = (await (await served.fetch("/runs")).json()) as { runs: { run: string }[] };
  expect(runs.map(({ run }) => run)).toEqual([served.run.id]);
  const state = await (await served.get("")).json();
  expect(state).toMatchObject({
    run: served.run.id,
    chain: [served.run.id],
    state: "running",
    step: { name: "work", index: 1, total: 1 },
    round: 1,
    context: 900,
    costUsd: 0.25,
    activity: "question",
    asks: [{ id: "q1", question: "Red or blue?", options: ["red", "blue"], state: "asked", path: ["worker"] }],
  });
  await served.post("/asks/q1/answer", { text: "blue" });
  await ended;
  expect(await (await served.get("")).json()).toMatchObject({ state: "ended", outcome: "achieved", exitCode: 0, asks: [] });
});

test("a question is answered once, over HTTP; whoever comes later is told so", async () => {
  const served = serveStage([ASK, "blue it is"]);
  const { ended } = await asked(served);
  const answers = await Promise.all(["blue", "red", "green"].map((text) => served.post("/asks/q1/answer", { text })));
  const bodies = await Promise.all(answers.map((answer) => answer.json()));
  expect(bodies).toEqual([{ ok: true }, { ok: false }, { ok: false }]);
  await ended;
  const { asks } = (await (await served.get("/asks")).json()) as { asks: unknown[] };
  expect(asks).toMatchObject([{ id: "q1", state: "answered", answer: "blue", purpose: "model" }]);
  expect(await (await served.post("/asks/q7/answer", { text: "x" })).json()).toEqual({ ok: false });
});

test("an answer that answers nothing is refused with the options, and the question stays open", async () => {
  const served = serveStage([ASK, "blue it is"]);
  const { ended } = await asked(served);
  const refused = await served.post("/asks/q1/answer", { text: "7" });
  expect({ status: refused.status, body: await refused.json() }).toEqual({
    status: 400,
    body: { code: "bad-input", message: expect.stringContaining("1 red · 2 blue") },
  });
  expect(await (await served.post("/asks/q1/answer", { text: "2" })).json()).toEqual({ ok: true });
  await ended;
  expect(served.channel.asks).toMatchObject([{ state: "answered", answer: "blue" }]);
});

test("a question is declined with a reason", async () => {
  const served = serveStage([ASK, "then not"]);
  const { ended } = await asked(served);
  expect(await (await served.post("/asks/q1/decline", { reason: "ask me later" })).json()).toEqual({ ok: true });
  await ended;
  expect(served.channel.asks).toMatchObject([{ state: "declined", answer: "ask me later" }]);
});

test("mail gets a receipt, an interrupt its words to the agent, and an abort ends the run once", async () => {
  const served = serveStage([ASK, "never said"]);
  const { ended } = await asked(served);
  expect(await (await served.post("/mail", { text: "hello" })).json()).toEqual({ id: "m1", state: "queued", amended: "" });
  expect(await (await served.post("/interrupt", { text: "stop that" })).json()).toMatchObject({ ok: true });
  const aborted = [await served.post("/abort", { reason: "lunch" }), await served.post("/abort")];
  expect(aborted.map((answer) => answer.status)).toEqual([202, 202]);
  await ended;
  expect(served.aborts).toEqual(["lunch"]);
  expect(await (await served.get("")).json()).toMatchObject({ outcome: "interrupted", exitCode: 130 });
});

test("a side question is answered and leaves the run's cost alone", async () => {
  const served = serveStage((request) =>
    request.messages.some((message) => JSON.stringify(message).includes("How far?")) ? "halfway" : ASK,
  );
  await asked(served);
  expect(await (await served.post("/oracle", { question: "How far?" })).json()).toMatchObject({ ok: true, text: "halfway" });
});

test.each<[string, string, RequestInit, number, string]>([
  ["no such run", "/runs/other", {}, 404, "not-found"],
  ["no such address", "/walls", {}, 404, "not-found"],
  ["a body that is no JSON", "/runs/ID/mail", post("{"), 400, "bad-input"],
  ["a body that is no object", "/runs/ID/mail", post("[]"), 400, "bad-input"],
  ["a text that is none", "/runs/ID/mail", post('{"text":7}'), 400, "bad-input"],
  ["an empty text", "/runs/ID/asks/q1/answer", post('{"text":" "}'), 400, "bad-input"],
  ["no body where one is needed", "/runs/ID/mail", { method: "POST" }, 400, "bad-input"],
  ["a form of another site", "/runs/ID/mail", { method: "POST", body: '{"text":"x"}' }, 415, "bad-input"],
  ["a body without end", "/runs/ID/mail", post(JSON.stringify({ text: "x".repeat(300_000) })), 413, "bad-input"],
  ["what is no cursor", "/runs/ID/events?after=x", {}, 400, "bad-input"],
  ["a run of another chain", "/runs/ID/events?after=other:1", {}, 404, "not-found"],
  ["a page without bounds", "/runs/ID/events?limit=1000000", {}, 400, "bad-input"],
])("%s is refused as JSON with a code", async (_name, path, init, status, code) => {
  const served = serveStage([]);
  const answer = await served.fetch(path.replace("ID", served.run.id), init);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ code, message: expect.any(String) });
  expect(served.channel.mail).toEqual([]);
});

test("what breaks inside is told as nothing but that", async () => {
  const broken = new Error("secret path /home/me/.key");
  const runs = {
    list: () => Promise.reject(broken),
    get: () => Promise.reject(broken),
  };
  for (const path of ["/runs", "/runs/x"]) {
    const answer = await createApp({ runs }).fetch(new Request(`http://run${path}`));
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ code: "unknown", message: "Something went wrong in the service." });
  }
});

function post(body: string): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body };
}
