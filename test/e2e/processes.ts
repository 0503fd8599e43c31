import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, onTestFinished, vi } from "vitest";

/** Waits for a command to write its process id. Its group is ended with the test, whatever happens. */
export async function pidIn(path: string): Promise<number> {
  const pid = await vi.waitFor(
    async () => {
      const value = Number(await readFile(path, "utf8"));
      expect(value).toBeGreaterThan(0);
      return value;
    },
    { timeout: 15_000, interval: 20 },
  );
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(-pid, "SIGKILL");
  });
  return pid;
}

/** A process that has ended and that nobody has looked after yet does not run. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
