import { rmdirSync, unlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toInstant } from "../core/clock.ts";
import { replaceFile } from "../core/files.ts";
import { processMark } from "../core/process-mark.ts";
import { createApp, onlyRun } from "./app.ts";
import { type ControlFile, controlPath, SOCKET_FOLDER, SOCKET_NAME, sweepControlFiles } from "./control-file.ts";
import type { ServedRun } from "./run-control.ts";

/** The open door of a run. */
export interface ControlSocket extends AsyncDisposable {
  /** Where it listens. */
  readonly socket: string;
  /** Lets requests under way finish for a moment, then takes the socket and `control.json` away. */
  close(): Promise<void>;
}

/** Systems allow about 104 bytes. */
const LONGEST_SOCKET_PATH = 100;
const CLOSE_GRACE_MS = 500;

/**
 * Serves the control API of a run on a Unix socket in a private folder, and says where in `control.json`. What a kill leaves
 * behind names a process that is gone; the next run beside it takes that away. Throws when the socket cannot be opened; then nothing is left.
 */
export async function openControlSocket(run: ServedRun, runDir: string): Promise<ControlSocket> {
  await sweepControlFiles(runDir);
  const folder = await privateFolder();
  const socket = join(folder, SOCKET_NAME);
  const file = controlPath(runDir, run.id);
  const remove = () => removeNow(file, socket, folder);
  process.on("exit", remove);
  let server: Server | undefined;
  const close = async () => {
    if (server) await closeServer(server);
    remove();
    process.off("exit", remove);
  };
  try {
    server = await listen(run, socket);
    const since = toInstant(Date.now());
    const content: ControlFile = { version: 1, run: run.id, pid: process.pid, owner: processMark(), socket, since };
    await replaceFile(file, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    await close();
    throw error;
  }
  return { socket, close, [Symbol.asyncDispose]: close };
}

/** mkdtemp gives mode 700. A long TMPDIR makes a path that no socket can have. */
async function privateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), SOCKET_FOLDER));
  if (Buffer.byteLength(join(folder, SOCKET_NAME)) <= LONGEST_SOCKET_PATH) return folder;
  await rm(folder, { recursive: true });
  return mkdtemp(`/tmp/${SOCKET_FOLDER}`);
}

async function listen(run: ServedRun, socket: string): Promise<Server> {
  const { createAdaptorServer } = await import("@hono/node-server");
  const app = createApp({ runs: onlyRun(run) });
  const options = { fetch: (request: Request) => app.fetch(request), overrideGlobalObjects: false }; // the process's own Response stays
  const server = createAdaptorServer(options) as Server; // without TLS options it is this one
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, () => {
      server.off("error", reject);
      resolve();
    });
  });
  server.on("error", () => {}); // one failed connection ends no run
  server.unref();
  return server;
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(timer);
}

/** Also at `exit`, when nothing asynchronous runs any more. */
function removeNow(file: string, socket: string, folder: string): void {
  for (const remove of [() => unlinkSync(file), () => unlinkSync(socket), () => rmdirSync(folder)]) {
    try {
      remove();
    } catch {
      // not there, or gone already
    }
  }
}
