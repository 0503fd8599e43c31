import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isInstalled, type Participant } from "./participants.ts";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));

/**
 * Installs the peers when they are not there yet. Without the network it goes on with what there is. When the lock file changes,
 * `npm ci --prefix bench` brings them up to date: it begins by removing what is there, so that is left to whoever has the network.
 */
export function installPeers(): void {
  if (existsSync(`${FOLDER}/node_modules/.package-lock.json`)) return;
  console.error("The peers are installed first (bench/node_modules, some 500 MB) …");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--silent"], {
    cwd: FOLDER,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) console.error("They could not be installed (`npm ci --prefix bench` says why). Measured is what is there.");
}

/** Makes the build at hand the package `flower-agents`, as an installed one is. */
export function linkFlower(): void {
  const link = `${FOLDER}/node_modules/flower-agents`;
  if (existsSync(link)) return;
  mkdirSync(`${FOLDER}/node_modules`, { recursive: true });
  symlinkSync("../..", link);
}

export function missing(participants: readonly Participant[]): readonly Participant[] {
  return participants.filter((participant) => !isInstalled(participant));
}

/** Of the package that is measured. */
export function versionOf({ package: name }: Participant): string | undefined {
  if (name === undefined) return undefined;
  const manifest: unknown = JSON.parse(readFileSync(`${FOLDER}/node_modules/${name}/package.json`, "utf8"));
  return (manifest as { readonly version: string }).version;
}
