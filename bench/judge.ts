import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Prints how often verdicts are wrong, in a process of its own: it runs from the source, whose insides it measures. */
export function benchJudge(): void {
  const main = fileURLToPath(new URL("../judge/main.ts", import.meta.url)); // from bench/dist
  execFileSync(process.execPath, ["--conditions=flower-source", "--import", "tsx", main], { stdio: "inherit" });
}
