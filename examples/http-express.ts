import express from "express";
import { supportRunner, toHttpError } from "./support-runner.ts";

const runner = supportRunner();
const app = express().use(express.json());

app.post("/sessions/:id/turns", async (request, response) => {
  const left = new AbortController();
  response.on("close", () => left.abort()); // a client that leaves stops its turn; the session stays as it was
  try {
    const { content, activeAgentName, handoff } = await runner.run(request.params.id, request.body.message, { signal: left.signal });
    response.json({ content, agent: activeAgentName, handoff });
  } catch (error) {
    const { status, code } = toHttpError(error);
    response.status(status).json({ code });
  }
});

const server = app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => console.log(JSON.stringify(server.address())));
process.once("SIGTERM", () => server.close(() => void runner.close()));
