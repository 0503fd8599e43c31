import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { processMark } from "../../src/core/process-mark.ts";
import { controlPath, readControlFile, sweepControlFiles } from "../../src/server/control-file.ts";
import { openControlSocket } from "../../src/server/control-socket.ts";
import { findRun } from "../../src/server/find-run.ts";
import { RemoteRun } from "../../src/server/remote-run.ts";
import { acquireRunLock } from "../../src/workbench/run-lock.ts";
import { newFolder } from "../folder.ts";
import { serveStage } from "./served-run.ts";

afterEach(() => vi.unstubAllEnvs());

async function openDoor() {
  const served = serveStage([]);
  const { runtime } = served.stage;
  await runtime.books.open();
  const door = await openControlSocket(served.run, runtime.runDir);
  onTestFinished(() => door.close());
  return { served, door, runtime, runDir: runtime.runDir, run: served.run.id };
}

test("the run is reached by what control.json says, and both are private and gone at the end", async () => {
  const { door, runDir, run } = await openDoor();
  expect(statSync(controlPath(runDir, run)).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(door.socket)).mode & 0o777).toBe(0o700);
  const control = await readControlFile(runDir, run);
  expect(control).toMatchObject({ run, pid: process.pid, socket: door.socket });
  expect(await new RemoteRun(run, door.socket).state()).toMatchObject({ run, state: "running" });
  await door.close();
  await door.close();
  expect(existsSync(controlPath(runDir, run)) || existsSync(dirname(door.socket))).toBe(false);
  await expect(new RemoteRun(run, door.socket).state()).rejects.toMatchObject({ code: "offline" });
});

test("the door leaves the process's own Request and Response alone", async () => {
  const before = [globalThis.Request, globalThis.Response];
  const { door, run } = await openDoor();
  await new RemoteRun(run, door.socket).state();
  expect([globalThis.Request, globalThis.Response]).toEqual(before);
  expect(Response.name).toBe("Response");
});

test("a long temporary folder gives a socket all the same", async () => {
  const long = join(newFolder(), "x".repeat(120));
  mkdirSync(long);
  vi.stubEnv("TMPDIR", long);
  const { door, run } = await openDoor();
  expect(Buffer.byteLength(door.socket)).toBeLessThan(100);
  expect(await new RemoteRun(run, door.socket).asks()).toEqual([]);
});

test("a client that only listens does not hold the end up", async () => {
  const { door, run } = await openDoor();
  const ended = new Promise<void>((resolve) => {
    const headers = { accept: "text/event-stream" };
    const call = request({ socketPath: door.socket, path: `/runs/${run}/events`, headers }, (response) => {
      response.on("data", () => {}).on("close", resolve);
      void door.close();
    });
    call.on("error", () => resolve());
    call.end();
  });
  await ended;
  expect(existsSync(door.socket)).toBe(false);
});

test("refusals come back as errors with their code", async () => {
  const { door, run } = await openDoor();
  await expect(new RemoteRun("other", door.socket).state()).rejects.toMatchObject({ code: "not-found" });
  await expect(new RemoteRun(run, door.socket).send(" ")).rejects.toMatchObject({ code: "bad-input" });
  await expect(new RemoteRun(run, door.socket).send("x".repeat(300_000))).rejects.toMatchObject({ code: "bad-input" });
});

test("a control.json of a dead owner, or one that points where others can write, leads nowhere", async () => {
  const { door, runDir, run } = await openDoor();
  const path = controlPath(runDir, run);
  const honest = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const write = (change: Record<string, unknown>) => writeFileSync(path, JSON.stringify({ ...honest, ...change }));
  write({});
  expect(await readControlFile(runDir, run)).toBeDefined();
  const [host = ""] = processMark().split(" ");
  for (const change of [
    { owner: `${host} 999999999 1` },
    { run: "other" },
    { version: 2 },
    { socket: "/tmp/control.sock" },
    { socket: join(newFolder(), "none", "control.sock") },
  ]) {
    write(change);
    expect(await readControlFile(runDir, run), JSON.stringify(change)).toBeUndefined();
  }
  writeFileSync(path, "{");
  expect(await readControlFile(runDir, run)).toBeUndefined();
  expect(existsSync(door.socket)).toBe(true);
});

test("a socket where somebody else answers is not taken for the run", async () => {
  const { runtime, runDir, run } = await openDoor();
  const folder = mkdtempSync(join(tmpdir(), "flower-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stranger = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"run":"no"}'));
  const socket = join(folder, "control.sock");
  await new Promise<void>((resolve) => stranger.listen(socket, resolve));
  onTestFinished(() => void stranger.close());
  const lock = await acquireRunLock(runDir, "go", { runId: run });
  onTestFinished(() => lock.release());
  const place = { workspace: runtime.workspace, runDir, notResumed: [] };
  expect((await findRun(place))?.remote).toBeDefined();
  const honest = JSON.parse(readFileSync(controlPath(runDir, run), "utf8")) as Record<string, unknown>;
  writeFileSync(controlPath(runDir, run), JSON.stringify({ ...honest, socket }));
  const found = await findRun(place);
  expect(found).toMatchObject({ run, isAlive: true });
  expect(found?.remote).toBeUndefined();
});

test("what killed processes left of their doors is taken away with the next door; what is no door of ours is not", async () => {
  const runDir = newFolder();
  const [host = ""] = processMark().split(" ");
  const leave = (run: string, folder: string, owner: string) => {
    mkdirSync(join(runDir, run));
    writeFileSync(join(folder, "control.sock"), "");
    const file = { version: 1, run, pid: 1, owner, socket: join(folder, "control.sock"), since: "" };
    writeFileSync(controlPath(runDir, run), JSON.stringify(file));
  };
  const door = () => mkdtempSync(join(tmpdir(), "flower-"));
  const [killed, alive, elsewhere] = [door(), door(), join(newFolder(), "flower-1")];
  mkdirSync(elsewhere, { mode: 0o700 });
  onTestFinished(() => rmSync(alive, { recursive: true }));
  leave("killed", killed, `${host} 999999999 1`);
  leave("alive", alive, processMark());
  leave("elsewhere", elsewhere, `${host} 999999999 1`);
  await sweepControlFiles(runDir);
  expect(existsSync(killed) || existsSync(controlPath(runDir, "killed"))).toBe(false);
  expect(existsSync(join(alive, "control.sock")) && existsSync(controlPath(runDir, "alive"))).toBe(true);
  expect(existsSync(join(elsewhere, "control.sock"))).toBe(true);
});
