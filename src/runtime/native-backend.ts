import { join } from "node:path";
import type { Agent } from "../agents/agent.ts";
import type { Backend } from "../backends/backend.ts";
import type { Clock } from "../core/clock.ts";
import type { Engine } from "../engines/engine.ts";
import { isGlance } from "../guards/glance.ts";
import type { Environment } from "../tools/builtin/environment.ts";
import { argsRecord } from "../tools/call.ts";
import type { RunBooks } from "./run-books.ts";
import type { WorkPlaces } from "./work-places.ts";

export interface NativeHost {
  readonly books: Pick<RunBooks, "folder" | "processes" | "sessionsPath">;
  readonly places: WorkPlaces;
  readonly clock: Clock;
  readonly environment: Environment;
  /** Background commands end with it. */
  readonly lifetime: AbortSignal;
  readonly engineOf: (agent: Agent) => Engine;
  /** Given a promise that settles when the background commands of a workspace are gone. */
  readonly onJobsEnding: (gone: Promise<void>) => void;
}

/** Our own loop over any engine, with its sessions and its tools' processes in the run's books. Loaded when it is needed. */
export async function nativeBackend(host: NativeHost): Promise<Backend> {
  const { books, places, clock } = host;
  const [{ NativeBackend }, { SqliteSessionStore }, { builtinTools }] = await Promise.all([
    import("../backends/native/native.ts"),
    import("../sessions/sqlite.ts"),
    import("../tools/builtin/builtin-tools.ts"),
  ]);
  let toolsets = 0;
  return new NativeBackend({
    store: new SqliteSessionStore(await books.sessionsPath(), { clock }),
    engine: host.engineOf,
    looksOnly: async ({ name, args }, workspace) => name === "Bash" && isGlance(String(argsRecord(args)["command"] ?? ""), { workspace }),
    clock,
    builtins: (workspace) => {
      const { addDirs, grants } = places.at(workspace);
      return builtinTools({
        workspace,
        addDirs,
        grants,
        jobsFolder: join(books.folder, `jobs-${++toolsets}`),
        lifetime: host.lifetime,
        onJobsEnding: host.onJobsEnding,
        env: host.environment,
        clock,
        onProcess: (started) => books.processes.add(started),
        onProcessEnd: (pid) => books.processes.remove(pid),
      });
    },
  });
}
