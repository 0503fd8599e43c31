import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { type Clock, systemClock } from "../core/clock.ts";
import { MAX_BODY_BYTES } from "./body.ts";
import { notFound, Problem, toProblem } from "./problem.ts";
import { askRoutes } from "./routes/asks.ts";
import { eventRoutes } from "./routes/events.ts";
import { steeringRoutes } from "./routes/steering.ts";
import type { RunDirectory, ServedRun } from "./run-control.ts";

export interface AppOptions {
  /** What is served; for one run, `onlyRun(run)`. */
  readonly runs: RunDirectory;
  readonly clock?: Clock;
  /** How often a silent event stream says that it is alive. Default 15 s. */
  readonly heartbeatMs?: number;
}

/** What routes below `/runs/:id` find in their context. */
export interface RunEnv {
  Variables: { run: ServedRun };
}

/** A Web-standard request handler. */
export interface App {
  fetch(request: Request): Response | Promise<Response>;
}

const HEARTBEAT_MS = 15_000;

/**
 * The control API over runs, which holds no logic of theirs. Failures are JSON `{ code, message }`, with nothing in them of what
 * is inside. It lets everybody in who reaches it: who that is, is decided by what stands before it.
 */
export function createApp({ runs, clock = systemClock, heartbeatMs = HEARTBEAT_MS }: AppOptions): App {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => fail(new Problem(413, "bad-input", "The body is too large.")) }));
  app.onError((error) => fail(toProblem(error)));
  app.notFound(() => fail(notFound("such address")));
  app.get("/runs", async (c) => c.json({ runs: await Promise.all((await runs.list()).map((run) => run.state())) }));
  app.route("/runs/:id", runRoutes(runs, { clock, heartbeatMs }));
  return { fetch: (request) => app.fetch(request) };
}

/** What all routes of one run share: the run must be there. */
function runRoutes(runs: RunDirectory, timing: { readonly clock: Clock; readonly heartbeatMs: number }): Hono<RunEnv> {
  const withRun = createMiddleware<RunEnv>(async (c, next) => {
    const run = await runs.get(c.req.param("id") ?? "");
    if (!run) throw notFound("such run");
    c.set("run", run);
    await next();
  });
  return new Hono<RunEnv>()
    .use(withRun)
    .get("/", async (c) => c.json(await c.get("run").state()))
    .route("/events", eventRoutes(timing))
    .route("/asks", askRoutes())
    .route("/", steeringRoutes());
}

function fail({ status, code, message }: Problem): Response {
  return Response.json({ code, message }, { status });
}

/** A directory of one run. */
export function onlyRun(run: ServedRun): RunDirectory {
  return { list: async () => [run], get: async (id) => (id === run.id ? run : undefined) };
}
