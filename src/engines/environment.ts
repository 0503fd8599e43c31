import type { Environment } from "./connection.ts";

/** The process's environment: the one place where engines read it, and only when no other record was given. */
export function processEnvironment(): Environment {
  return process.env;
}
