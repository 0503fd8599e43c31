import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Case, Figures } from "../case.ts";
import { median } from "../measure.ts";
import type { Participant } from "../participants.ts";
import { Script } from "../script.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { timeLongSession, WINDOW } from "./long-session.ts";

const Libsql = createRequire(import.meta.url)("libsql") as new (path: string) => { exec(sql: string): void; close(): void };

/** Slow ones are measured once. */
const ENOUGH_MS = 3_000;
const SESSIONS = 5;

export const measured: Case = {
  metrics: [
    { key: "ms", title: "turn 181–200 of a session on SQLite, committed", unit: "ms", goal: 0.2 },
    { key: "growth", title: "the same ÷ turn 1–20", unit: "×", goal: 1.1 },
    { key: "kb", title: "database size of a session of 200 turns", unit: "KB", goal: 100 },
  ],
  run: (participant) =>
    inTemporaryFolder(async (folder) => {
      const figures: Figures[] = [];
      const start = performance.now();
      for (let n = 0; n <= SESSIONS && (n < 2 || performance.now() - start < ENOUGH_MS); n++) {
        const session = await oneSession(participant, join(folder, `${n}.db`));
        if (!session) return undefined;
        if (n > 0) figures.push(session); // the first one warms up
      }
      const middle = (key: string) => median(figures.map((one) => one[key]!));
      return { ms: middle("ms"), growth: middle("growth"), kb: middle("kb") };
    }),
};

/** A conversation in a database of its own. */
async function oneSession(participant: Participant, path: string): Promise<Figures | undefined> {
  const { makeBot } = await participant.load();
  const script = new Script([{ text: "It is as fine as what was before." }]);
  const bot = await makeBot({ script, database: path });
  if (!bot) return undefined;
  const { early, late } = await timeLongSession(bot, script, "session");
  await bot.close?.();
  return { ms: late / WINDOW, growth: late / early, kb: (await bytesOf(path)) / 1_000 };
}

/** Once everything is in the database file proper. */
async function bytesOf(path: string): Promise<number> {
  const database = new Libsql(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return (await stat(path)).size;
}
