import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, vi } from "vitest";
import { processState } from "../src/core/process-state.ts";

const PATIENCE = { timeout: 20_000, interval: 10 };

/** The id of a process that has ended, and whose parent never looks. Linux only. */
export async function deadUnseen(): Promise<number> {
  const parent = spawn("bash", ["-c", "sleep 600 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout, "data");
  const pid = Number(String(line));
  await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n"), PATIENCE); // a shell would look
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(processState(pid)?.hasEnded).toBe(true), PATIENCE);
  return pid;
}
