import { expect, vi } from "vitest";
import type { Ended } from "../cli.ts";
import { ANSWER, INTERRUPTS, MAILS } from "./plan.ts";
import { deadly } from "./script.ts";
import type { SoakJob } from "./soak-job.ts";

const ALONE = ["--timeout", "0", "--park"];

/** Starts of the command line: all but the fourth, which parks, and the last end with a kill. */
export const STARTS = 6;
export const KILLS = 4;
/** The commands that were under way at a kill. */
export const CUT_COMMANDS = 2;
export const LOSSES = { out: 3, brokenOff: 2 } as const;

/** A job of a few hundred iterations to which everything happens that may happen in a night. Gives how the last process ended. */
export async function spendNight(job: SoakJob): Promise<Ended> {
  planNight(job);
  const first = await job.start("--timeout", "300", "--park");
  await vi.waitFor(async () => expect(await job.books.payloads("ask")).toHaveLength(1), { timeout: 60_000, interval: 30 });
  await job.tell("answer", "q1", ANSWER);
  expect((await first.ended).code).toBeNull();
  await job.tell("say", MAILS[0]);
  expect(await codeOf(job)).toBeNull();
  expect(await codeOf(job)).toBeNull();
  await job.cutOff();
  expect(await codeOf(job)).toBe(3);
  await job.tell("answer", "q2", "1");
  expect(await codeOf(job)).toBeNull();
  return (await job.start(...ALONE)).ended;
}

async function codeOf(job: SoakJob): Promise<number | null> {
  return (await (await job.start(...ALONE)).ended).code;
}

function planNight(job: SoakJob): void {
  const say =
    (...args: readonly string[]) =>
    async () => {
      await job.tell(...args);
      return undefined;
    };
  job.at("n:20", say("interrupt", INTERRUPTS[0]));
  job.at("n:33", (view) => job.breakOff(view, "reset"));
  job.at("n:60", () => ({ reply: deadly(60), delivered: true }));
  job.at("n:75", (view) => job.outage(view));
  job.at("writing:3", (view) => job.kill(view));
  job.at("over:4", () => job.killInCommand());
  job.at("n:170", (view) => job.breakOff(view, "silence"));
  job.at("n:185", say("say", MAILS[1]));
  job.at("writing:6", (view) => job.outage(view));
  job.at("n:300", async (view) => {
    await job.tell("interrupt", INTERRUPTS[1]); // no model has heard it when the process is gone
    return job.kill(view);
  });
}
