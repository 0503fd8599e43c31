import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ErrorCode } from "../core/errors.ts";

/** A refusal that the client is told as it is. Everything else that is thrown becomes a bare "unknown". */
export class Problem extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: ErrorCode;

  constructor(status: ContentfulStatusCode, code: ErrorCode, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The body of every failure: `{ code, message }`, with nothing of what is inside. */
export function toProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(500, "unknown", "Something went wrong in the service.");
}

export function notFound(what: string): Problem {
  return new Problem(404, "not-found", `There is no ${what}.`);
}
