import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend } from "../../../src/backends/backend.ts";
import { claudeBackend } from "../../../src/backends/claude/index.ts";
import { NativeBackend } from "../../../src/backends/native/native.ts";
import { anthropic } from "../../../src/engines/providers.ts";
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import type { BackendFixture, CaseModel } from "../../../src/testing/backend.ts";
import { builtinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { isolatedEnvironment } from "../claude/isolated-environment.ts";
import { SDK } from "../claude/sdk-file.ts";
import { serveCase } from "./wire.ts";

const MODEL = "claude-sonnet-4-5";

/** Our own loop over the Anthropic engine. */
export function nativeFixture(model: CaseModel): Promise<BackendFixture> {
  return openFixture(model, (url, home) => {
    const engine = anthropic(MODEL, { baseURL: url, apiKey: "fake-key-0123456789" });
    return new NativeBackend({
      store: new SqliteSessionStore(join(home, "sessions.db")),
      engine: () => engine,
      builtins: (workspace) => builtinTools({ workspace, env: { PATH: process.env["PATH"] ?? "" } }),
    });
  });
}

/** The real SDK and its real CLI. */
export function claudeFixture(model: CaseModel): Promise<BackendFixture> {
  return openFixture(model, (url, home) =>
    claudeBackend({ env: isolatedEnvironment(home, url), ...(SDK === undefined ? {} : { sdk: SDK }) }),
  );
}

async function openFixture(model: CaseModel, make: (url: string, home: string) => Backend): Promise<BackendFixture> {
  const server = await serveCase(model);
  const folders = await Promise.all([newFolder(), newFolder()]);
  const [workspace, home] = folders as [string, string];
  const backends = [make(server.url, home)];
  return {
    backend: backends[0] as Backend,
    workspace,
    model: MODEL,
    async reopen() {
      const backend = make(server.url, home);
      backends.push(backend);
      return backend;
    },
    async cleanup() {
      await Promise.all(backends.map((backend) => backend.close()));
      await server[Symbol.asyncDispose]();
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
    },
  };
}

async function newFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), "flower-backend-")));
}
