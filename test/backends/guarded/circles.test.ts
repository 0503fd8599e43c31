import { expect } from "vitest";
import { worker } from "../../../src/runtime/roles.ts";
import { onBoth } from "./on-both.ts";
import { type Call, MODEL, openSite, voice } from "./site.ts";

const again = (name: string, args: Call["args"], times: number): readonly (readonly Call[])[] =>
  Array.from({ length: times }, (_, n) => [{ id: `${n + 1}`, name, args }]);

onBoth("a model that makes the same refused call for ever is told at the fifth and stopped at the fifteenth", async (backend) => {
  const site = await openSite(backend);
  const agent = worker({ name: "hand", model: MODEL, instructions: voice("hand") }).with({ permissions: { deny: ["Bash"] } });
  const { result, outcomes } = await site.run(agent, { hand: again("Bash", { command: "ls" }, 30) });
  expect(result).toMatchObject({ ok: false, errorKind: "repetition", attempts: 1 });
  expect(outcomes.get("4")?.text).not.toContain("in a row");
  expect(outcomes.get("5")?.text).toContain("for the 5th time in a row");
  expect(site.server.requests.length).toBeLessThan(20);
});

onBoth("one whose command gives the same again and again is stopped, too", async (backend) => {
  const site = await openSite(backend);
  const agent = worker({ name: "hand", model: MODEL, instructions: voice("hand") });
  const { result } = await site.run(agent, { hand: again("Bash", { command: "echo same" }, 30) });
  expect(result).toMatchObject({ ok: false, errorKind: "repetition" });
  expect(site.server.requests.length).toBeLessThan(20);
});
