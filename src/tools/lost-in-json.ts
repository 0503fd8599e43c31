/**
 * What of a value JSON would silently lose, for developers: an object that would become `{}` though its content lies elsewhere (Map,
 * Response, Error, private fields), a circular part, a function as the whole value. Undefined when nothing is lost. Functions and
 * undefined as properties may go, as everywhere in JSON.
 */
export function lostInJson(value: unknown): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  return lostIn(value, "", new Set());
}

function lostIn(value: unknown, path: string, ancestors: Set<object>): string | undefined {
  if (typeof value !== "object" || value === null || hasOwnForm(value)) return undefined;
  const where = path === "" ? "" : ` at ${path}`;
  if (ancestors.has(value)) return `a circular part${where}`;
  const keys = Object.keys(value);
  if (value instanceof Error || (keys.length === 0 && !isPlain(value))) return `a ${nameOf(value)}${where}`;
  ancestors.add(value);
  for (const key of keys) {
    const lost = lostIn((value as Record<string, unknown>)[key], path === "" ? key : `${path}.${key}`, ancestors);
    if (lost !== undefined) return lost;
  }
  ancestors.delete(value);
  return undefined;
}

/** It says itself how it looks in JSON (Date, URL, Buffer), or is a boxed primitive. */
function hasOwnForm(value: object): boolean {
  if ("toJSON" in value && typeof value.toJSON === "function") return true;
  return value instanceof String || value instanceof Number || value instanceof Boolean || ArrayBuffer.isView(value);
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null; // Object.prototype, of any realm
}

function nameOf(value: object): string {
  const made: unknown = value.constructor;
  return typeof made === "function" && made.name !== "" ? made.name : "nameless object";
}
