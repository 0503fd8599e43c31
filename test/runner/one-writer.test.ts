import { describe, expect, it } from "vitest";
import type { RecordedRequest } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import { deferred, rejection, STORES, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

const reply = ({ messages }: RecordedRequest) => `Answer ${messages.length}.`;

describe.each(STORES)("turns of one session over the %s store", (_name, make) => {
  it("run one at a time, in order of arrival, each on the history of the one before", async () => {
    const { runner } = stage(reply, { fixture: make() });
    const order: number[] = [];
    await Promise.all(Array.from({ length: 20 }, (_, i) => runner.run("s", `${i}`).then(() => order.push(i))));
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
    const lines = transcript((await runner.session("s"))!.history);
    expect(lines).toEqual(Array.from({ length: 20 }, (_, i) => [`user: ${i}`, `Helper: Answer ${2 * i + 1}.`]).flat());
  });

  it("never wait for another session's", async () => {
    const gate = deferred();
    const script = ({ messages }: RecordedRequest) => (textOf(messages[0]!) === "hold" ? gate.promise.then(() => "Late.") : "Done.");
    const { runner } = stage(script, { fixture: make() });
    const held = runner.run("held", "hold");
    const behind = runner.run("held", "hold too");
    const free = await Promise.all(Array.from({ length: 50 }, (_, i) => runner.run(`s${i}`, "hi")));
    expect(free.every((response) => response.content === "Done.")).toBe(true);
    gate.resolve();
    expect([(await held).content, (await behind).content]).toEqual(["Late.", "Late."]);
  });

  it("are rejected at once while another holds it, when onBusy says so", async () => {
    const gate = deferred();
    const { runner, engine } = stage([() => gate.promise.then(() => "One."), "Two."], { onBusy: "reject", fixture: make() });
    const first = runner.run("s", "first");
    expect(await rejection(runner.run("s", "second"))).toMatchObject({ code: "session-busy" });
    gate.resolve();
    await first;
    expect((await runner.run("s", "third")).content).toBe("Two.");
    expect(engine.requests).toHaveLength(2);
  });
});
