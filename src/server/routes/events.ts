import { type Context, Hono } from "hono";
import type { Clock } from "../../core/clock.ts";
import { isFlowerError } from "../../core/errors.ts";
import { type Cursor, toCursor } from "../../workbench/run-chain.ts";
import type { RunEnv } from "../app.ts";
import { notFound, Problem } from "../problem.ts";
import { toSseResponse } from "../sse.ts";

const PAGE = 500;
const LARGEST_PAGE = 1_000;

/**
 * The run's log: a page of it as JSON, or, for `Accept: text/event-stream`, the rest of it and then live. Events of the run
 * itself have their number as id, those of earlier runs of the chain `runId:number`; both are cursors for the next request.
 */
export function eventRoutes(timing: { readonly clock: Clock; readonly heartbeatMs: number }): Hono<RunEnv> {
  return new Hono<RunEnv>().get("/", async (c) => {
    const run = c.get("run");
    const isStream = c.req.header("accept")?.includes("text/event-stream") ?? false;
    const cursor = await cursorOf(c, isStream);
    const after = `${cursor.run}:${cursor.seq}`;
    const idOf = (event: Cursor) => (event.run === run.id ? String(event.seq) : `${event.run}:${event.seq}`);
    if (isStream) {
      return toSseResponse({
        ...timing,
        open: (signal) => run.follow({ after, signal }),
        toMessage: (event) => ({ id: idOf(event), data: JSON.stringify(event) }),
      });
    }
    const events = await run.page({ after, limit: limitOf(c) });
    return c.json({ events, next: idOf(events.at(-1) ?? cursor) });
  });
}

/** A stream that is taken up again says by header how far it came, and still has the old address. */
async function cursorOf(c: Context<RunEnv>, isStream: boolean): Promise<Cursor> {
  const run = c.get("run");
  const after = (isStream ? c.req.header("last-event-id") : undefined) ?? c.req.query("after");
  let cursor: Cursor;
  try {
    cursor = toCursor(after, run.id);
  } catch (error) {
    if (!isFlowerError(error, "bad-input")) throw error;
    throw new Problem(400, "bad-input", "`after` must be a sequence number, or runId:number.");
  }
  if (cursor.run !== run.id && !(await run.state()).chain.includes(cursor.run)) throw notFound("such run in this chain");
  return cursor;
}

function limitOf(c: Context<RunEnv>): number {
  const limit = Number(c.req.query("limit") ?? PAGE);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE) return limit;
  throw new Problem(400, "bad-input", `\`limit\` must be a whole number from 1 to ${LARGEST_PAGE}.`);
}
