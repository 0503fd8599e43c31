import { isRecord } from "../../core/json.ts";

/** Values by name, e.g. a process's environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
const FIELDS = ["command", "args", "env", "url", "headers"];

/**
 * A server's description with `${NAME}` and `${NAME:-default}` replaced where a program's or service's own texts stand. A name
 * without value and default goes to `missing`.
 */
export function fillIn(server: unknown, variables: Variables, missing: (name: string) => void): unknown {
  if (!isRecord(server)) return server;
  const filled = FIELDS.filter((field) => server[field] !== undefined).map((field) => [field, fill(server[field], variables, missing)]);
  return { ...server, ...Object.fromEntries(filled) };
}

function fill(value: unknown, variables: Variables, missing: (name: string) => void): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(item, variables, missing));
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, variables, missing)]));
  if (typeof value !== "string") return value;
  return value.replaceAll(REFERENCE, (whole, name: string, standard: string | undefined) => {
    const known = variables[name] ?? standard;
    if (known === undefined) missing(name);
    return known ?? whole;
  });
}
