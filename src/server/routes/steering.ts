import { Hono } from "hono";
import type { RunEnv } from "../app.ts";
import { readText, requireText } from "../body.ts";

/** Words of a person that nobody asked for, side questions, and the two ways to stop. */
export function steeringRoutes(): Hono<RunEnv> {
  return new Hono<RunEnv>()
    .post("/mail", async (c) => {
      const text = await requireText(c, "text");
      return c.json(await c.get("run").send(text));
    })
    .post("/interrupt", async (c) => {
      const text = await readText(c, "text");
      const { amended, notSaved } = await c.get("run").interrupt(text);
      return c.json({ ok: true, amended, notSaved });
    })
    .post("/oracle", async (c) => {
      const question = await requireText(c, "question");
      return c.json(await c.get("run").oracle(question, c.req.raw.signal));
    })
    .post("/abort", async (c) => {
      const reason = await readText(c, "reason");
      await c.get("run").abort(reason);
      return c.json({ ok: true }, 202);
    });
}
