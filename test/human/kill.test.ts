import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { answerInStore } from "../../src/human/ask-store.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { makeDesk } from "./desk.ts";

test("a process killed while its question waits loses neither the question nor the answer given meanwhile", async () => {
  const desk = await makeDesk();
  const script = new URL("./ask-and-hang.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--import", "tsx", script, desk.store], { stdio: ["ignore", "pipe", "inherit"] });
  expect(String((await once(child.stdout, "data"))[0])).toBe("Tabs?\n");
  child.kill("SIGKILL");
  await once(child, "exit");

  expect(await answerInStore(desk.store, "q1", "yes")).toBe(true);
  const channel = new HumanChannel({ storePath: desk.store });
  expect(await channel.ask("Tabs?", { key: "s1/c1" })).toMatchObject({ id: "q1", state: "answered", answer: "yes" });
  await channel.close();
  await desk[Symbol.asyncDispose]();
});
