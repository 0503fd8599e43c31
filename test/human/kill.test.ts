import { expect, test } from "vitest";
import { answerInStore } from "../../src/human/ask-store.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { startScript } from "../script.ts";
import { makeDesk } from "./desk.ts";

test("a process killed while its question waits loses neither the question nor the answer given meanwhile", async () => {
  const desk = await makeDesk();
  const child = startScript("human/children/ask-and-hang", desk.store);
  expect(await child.line()).toBe("Tabs?");
  await child.kill();

  expect(await answerInStore(desk.store, "q1", "yes")).toBe(true);
  const channel = new HumanChannel({ storePath: desk.store });
  expect(await channel.ask("Tabs?", { key: "s1/c1" })).toMatchObject({ id: "q1", state: "answered", answer: "yes" });
  await channel.close();
  await desk[Symbol.asyncDispose]();
});
