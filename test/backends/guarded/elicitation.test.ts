import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openMcp } from "../../../src/cli/mcp.ts";
import { HumanChannel } from "../../../src/human/channel.ts";
import { worker } from "../../../src/runtime/roles.ts";
import { newFolder } from "../../folder.ts";
import { trips } from "../../tools/mcp/servers.ts";
import { onBoth } from "./on-both.ts";
import { MODEL, openSite, voice } from "./site.ts";

const book = (id: string) => ({ id, name: "mcp__trips__book" });

onBoth("what a server wants to know is a question of the run, and what the person says goes back", async (backend) => {
  const site = await openSite(backend);
  const file = join(newFolder(), "tools.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { trips } }));
  const mcp = await openMcp(file, "en");
  onTestFinished(() => mcp[Symbol.asyncDispose]());
  const asked: string[] = [];
  const channel = new HumanChannel({
    timeoutMs: null,
    maxAsks: 4, // the fifth finds nobody
    onEvent: ({ kind, text, payload }) =>
      void (kind === "ask" && asked.push(`${"state" in payload ? payload.state : ""} ${text.replaceAll("\n", " / ")}`)),
  });
  onTestFinished(() => channel.close());
  mcp.attach(channel, new AbortController().signal);
  const person = answer(channel, ["Lisboa", "many", "2", undefined]);
  const agent = worker({ model: MODEL, instructions: voice("worker"), tools: mcp.tools });
  const { result, outcomes } = await site.run(agent, { worker: [[book("answered")], [book("declined")], [book("nobody")]] });
  await person;
  expect(result.ok).toBe(true);
  const said = ["answered", "declined", "nobody"].map((id) => JSON.parse(/\{.*\}/.exec(outcomes.get(id)?.text ?? "")?.[0] ?? "null"));
  expect(said).toEqual([{ action: "accept", content: { city: "Lisboa", nights: 2 } }, { action: "decline" }, { action: "cancel" }]);
  expect(asked).toEqual([
    "asked trips: Where to? / City",
    "answered trips: Where to? / City",
    "asked trips: Where to? / nights",
    "answered trips: Where to? / nights",
    "asked trips: Where to? / nights — integer",
    "answered trips: Where to? / nights — integer",
    "asked trips: Where to? / City",
    "declined trips: Where to? / City",
    "over_budget trips: Where to? / City",
  ]);
});

/** Answers one question after another; undefined declines. */
async function answer(channel: HumanChannel, words: readonly (string | undefined)[]): Promise<void> {
  for (const word of words) {
    const ask = await channel.nextAsk();
    if (word === undefined) channel.decline(ask?.id ?? "", "no trip");
    else channel.answer(ask?.id ?? "", word);
  }
}
