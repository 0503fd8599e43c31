import { expect, test } from "vitest";
import type { Engine } from "../../src/engines/engine.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { tool } from "../../src/tools/tool.ts";
import { type Desk, openDesk } from "./desk.ts";
import { inShort, steps, stepTool } from "./steps.ts";

/** Aborts once `ready` says so; gives how the query ended. The desk's clock stands still: whatever waited for time would wait for ever. */
async function abortWhen(desk: Desk, ready: () => boolean) {
  const controller = new AbortController();
  const running = desk.run({ signal: controller.signal });
  while (!ready()) await new Promise((resolve) => setImmediate(resolve));
  controller.abort("stop now");
  return running;
}

test("an abort ends a query at once though its tool is deaf; the reply stays, the call is answered as interrupted", async () => {
  let calls = 0;
  const execute = () => {
    calls++; // the tool is at work, not just asked for
    return new Promise<never>(() => {});
  };
  const desk = openDesk([steps(1)], {
    tools: [tool({ name: "step", description: "Never comes back.", parameters: { type: "object" }, execute })],
  });
  const { error, events } = await abortWhen(desk, () => calls > 0);
  expect(error).toBe("stop now");
  expect(events.at(-1)).toMatchObject({ kind: "result", payload: { isError: true, errorKind: "aborted" } });
  const history = (await desk.state())?.history ?? [];
  expect(inShort(history)).toEqual(["user: go", "model: doing 1, [step]", "tool: INTERRUPTED"]);
  expect(checkHistory(history)).toEqual([]);
});

test("an abort ends a query at once though its engine is deaf; nothing of the iteration stays", async () => {
  let asked = false;
  const deaf: Engine = {
    provider: "deaf",
    model: "deaf-1",
    withModel: () => deaf,
    stream() {
      asked = true;
      return { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    },
  };
  const desk = openDesk([], { engine: deaf });
  const { error } = await abortWhen(desk, () => asked);
  expect(error).toBe("stop now");
  expect(await desk.state()).toBeUndefined();
  expect(desk.started()).toBe(0);
});

test("what was finished before an abort stays, and the session can be used at once", async () => {
  const desk = openDesk([steps(1), () => new Promise<never>(() => {}), "still here"], { tools: [stepTool([])] });
  await abortWhen(desk, () => desk.engine.requests.length === 2);
  expect(inShort((await desk.state())?.history ?? [])).toEqual(["user: go", "model: doing 1, [step]", "tool: step 1 done"]);
  expect((await desk.run({ prompt: "and?", resume: true })).outcome).toEqual({ kind: "done", text: "still here" });
});

test("an abort while the agent's instructions are being made ends the query before the model is asked", async () => {
  const controller = new AbortController();
  const instructions = async () => {
    controller.abort("stop now");
    return "be nice";
  };
  const desk = openDesk([() => new Promise<never>(() => {})], { agent: { instructions } });
  expect((await desk.run({ signal: controller.signal })).error).toBe("stop now");
  expect(await desk.state()).toBeUndefined();
});
