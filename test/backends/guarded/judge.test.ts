import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { judge, worker } from "../../../src/runtime/roles.ts";
import { onBoth } from "./on-both.ts";
import { type Call, MODEL, openSite, voice } from "./site.ts";

onBoth(
  "a search over the whole workspace finds the work, not the books; what is forbidden to read is found by no path",
  async (backend) => {
    const site = await openSite(backend);
    const books = join(site.work, "runs");
    mkdirSync(join(books, "20260101-000000-000000/verdicts"), { recursive: true });
    writeFileSync(join(books, "20260101-000000-000000/verdicts/work-1.json"), "BAIT of an earlier verdict\n");
    writeFileSync(join(site.work, "seen.txt"), "BAIT of the work\n");
    const grep = (id: string, path?: string): Call => ({
      id,
      name: "Grep",
      args: { pattern: "BAIT", output_mode: "content", ...(path && { path }) },
    });
    const refused: readonly Call[] = [
      grep("below", "runs"),
      grep("deep below", join(books, "20260101-000000-000000")),
      { id: "read", name: "Read", args: { file_path: "runs/20260101-000000-000000/verdicts/work-1.json" } },
    ];
    const plain = judge({ name: "judge", model: MODEL, instructions: voice("judge") });
    const agent = plain.with({ permissions: { ...plain.permissions, deny: [`Read(${books})`] } });
    const { outcomes } = await site.run(agent, { judge: [[grep("all"), ...refused]] });
    expect(outcomes.get("all")?.text).toContain("BAIT of the work");
    expect(outcomes.get("all")?.text).not.toContain("runs/");
    const passed = refused
      .filter(({ id }) => !/on purpose/.test(outcomes.get(id)?.text ?? ""))
      .map(({ id }) => [id, outcomes.get(id)?.text]);
    expect(passed).toEqual([]);

    const hand = worker({ name: "hand", model: MODEL, instructions: voice("hand") });
    const work = await site.run(hand, { hand: [[grep("all")]] });
    expect(work.outcomes.get("all")?.text).toContain("BAIT of the work");
    expect(work.outcomes.get("all")?.text).not.toContain("runs/");
  },
);
