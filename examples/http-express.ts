import express, { type ErrorRequestHandler } from "express";
import { MOST_BODY_BYTES, messageIn, supportRunner, toHttpError } from "./support-runner.ts";

const runner = supportRunner();
const app = express().use(express.text({ type: "application/json", limit: MOST_BODY_BYTES }));

app.post("/sessions/:id/turns", async (request, response) => {
  const left = new AbortController();
  response.on("close", () => left.abort()); // a client that leaves stops its turn; the session stays as it was
  const message = messageIn(request.body);
  const { content, activeAgentName, handoff } = await runner.run(request.params.id, message, { signal: left.signal });
  response.json({ content, agent: activeAgentName, handoff });
});

/** Express itself refuses broken addresses and bodies that are too large, with a status of its own. */
const onError: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  const { status, code } =
    error instanceof Error && "status" in error ? { status: Number(error.status), code: "bad-input" } : toHttpError(error);
  response.status(status).json({ code });
};
app.use(onError);

const server = app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => console.log(JSON.stringify(server.address())));
process.once("SIGTERM", () => server.close(() => void runner.close()));
