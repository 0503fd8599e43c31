import { Hono } from "hono";
import { isFlowerError } from "../../core/errors.ts";
import type { RunEnv } from "../app.ts";
import { readText, requireText } from "../body.ts";
import { Problem } from "../problem.ts";

/** Questions to the person: see them, settle them. `{ ok: false }` when a question waits no longer. */
export function askRoutes(): Hono<RunEnv> {
  return new Hono<RunEnv>()
    .get("/", async (c) => c.json({ asks: await c.get("run").asks() }))
    .post("/:ask/answer", async (c) => {
      const text = await requireText(c, "text");
      return c.json({ ok: await orProblem(c.get("run").answer(c.req.param("ask"), text)) });
    })
    .post("/:ask/decline", async (c) => {
      const reason = await readText(c, "reason");
      return c.json({ ok: await c.get("run").decline(c.req.param("ask"), reason) });
    });
}

/** What words answer nothing, whoever sent them is told why. */
async function orProblem<T>(answering: Promise<T>): Promise<T> {
  try {
    return await answering;
  } catch (error) {
    throw isFlowerError(error, "bad-input") ? new Problem(400, error.code, error.message) : error;
  }
}
