import { readFile } from "node:fs/promises";
import { expect, onTestFinished, vi } from "vitest";
import { isRunning } from "../is-running.ts";

/** Waits for a command to write its process id. Its group is ended with the test, whatever happens. */
export async function pidIn(path: string): Promise<number> {
  const pid = await vi.waitFor(
    async () => {
      const value = Number(await readFile(path, "utf8"));
      expect(value).toBeGreaterThan(0);
      return value;
    },
    { timeout: 60_000, interval: 20 },
  );
  onTestFinished(() => {
    try {
      if (isRunning(pid)) process.kill(-pid, "SIGKILL");
    } catch {} // it has just ended
  });
  return pid;
}

/** Resolves when it has ended. */
export function gone(pid: number): Promise<void> {
  return vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000, interval: 20 });
}
