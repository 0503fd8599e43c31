import type { StandardSchemaV1 } from "@standard-schema/spec";
import { FlowerError, messageOf } from "./errors.ts";
import { isRecord, type Json, type JsonObject } from "./json.ts";

/** A JSON Schema as data. */
export type JsonSchema = JsonObject;
/** Any Standard Schema (zod, arktype, valibot …) or a JSON Schema object. */
export type SchemaInput<T = unknown> = StandardSchemaV1<unknown, T> | JsonSchema;
/** The type that validation by a schema gives: the Standard Schema's output; `Json`-ish data for a JSON Schema. */
export type SchemaOutput<S> = S extends StandardSchemaV1<unknown, infer T> ? T : Record<string, Json>;

export type Validated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: readonly string[] };

/** One schema, ready to use: its JSON Schema form (made once) and its validator. Never throws on bad data. */
export interface Schema<T = unknown> {
  readonly json: JsonSchema;
  validate(value: unknown): Validated<T> | Promise<Validated<T>>;
}

/** Standard Schema's optional companion: a JSON Schema of the type (zod 4 and arktype have it). */
interface WithJsonSchema {
  readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
}

/** Prepares a schema. Fails at once, naming `owner`, when no JSON Schema can be had from it. */
export function toSchema<T>(input: SchemaInput<T>, owner: string): Schema<T> {
  if (isStandardSchema(input)) return fromStandardSchema(input, owner);
  if (!isRecord(input)) {
    throw new FlowerError("bad-config", `${owner}: the schema must be a Standard Schema (zod, arktype …) or a JSON Schema object.`);
  }
  return fromJsonSchema(input) as Schema<T>;
}

function isStandardSchema<T>(input: SchemaInput<T>): input is StandardSchemaV1<unknown, T> {
  return (typeof input === "object" || typeof input === "function") && input !== null && "~standard" in input;
}

function fromStandardSchema<T>(schema: StandardSchemaV1<unknown, T>, owner: string): Schema<T> {
  const standard = schema["~standard"];
  const converter = (standard as WithJsonSchema).jsonSchema;
  if (typeof converter?.input !== "function") {
    throw new FlowerError(
      "bad-config",
      `${owner}: a ${standard.vendor} schema does not carry its JSON Schema. ` +
        (standard.vendor === "valibot"
          ? 'Wrap it with toStandardJsonSchema() of "@valibot/to-json-schema".'
          : `Use a version of ${standard.vendor} with "~standard".jsonSchema (zod ≥ 4.2, arktype ≥ 2.1.28), or pass a JSON Schema.`),
    );
  }
  const json = converter.input({ target: "draft-2020-12" });
  if (!isRecord(json)) throw new FlowerError("bad-config", `${owner}: the ${standard.vendor} schema gave no JSON Schema object.`);
  const { $schema: _dialect, ...rest } = json;
  return {
    json: rest as JsonSchema,
    validate(value) {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(toValidated) : toValidated(result);
    },
  };
}

function toValidated<T>(result: StandardSchemaV1.Result<T>): Validated<T> {
  if (!result.issues) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map((issue) => formatIssue(pathOf(issue), issue.message)) };
}

function pathOf(issue: StandardSchemaV1.Issue): string {
  return (issue.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".");
}

function formatIssue(path: string, message: string): string {
  return path === "" ? message : `${path}: ${message}`;
}

type Checker = (value: unknown) => Validated<Json>;

function fromJsonSchema(json: JsonSchema): Schema<Json> {
  let checker: Checker | undefined;
  return {
    json,
    validate(value) {
      if (checker) return checker(value);
      return makeChecker(json).then((made) => {
        checker = made;
        return made(value);
      });
    },
  };
}

async function makeChecker(json: JsonSchema): Promise<Checker> {
  const { Validator } = await import("@cfworker/json-schema");
  const validator = new Validator(json as ConstructorParameters<typeof Validator>[0], "2020-12", false);
  return (value) => {
    const result = validated(validator, value);
    if (typeof result === "string") return { ok: false, issues: [result] };
    if (result.valid) return { ok: true, value: value as Json };
    const leaves = result.errors.filter((error) => !["properties", "items", "$ref", "allOf", "anyOf", "oneOf"].includes(error.keyword));
    const shown = leaves.length > 0 ? leaves : result.errors;
    const paths = shown.map((error) => formatIssue(error.instanceLocation.replace(/^#\/?/, "").replaceAll("/", "."), error.error));
    return { ok: false, issues: [...new Set(paths)] };
  };
}

/** The validator throws for what is no JSON at all, and for a schema that it cannot follow. */
function validated<R>(validator: { validate(value: unknown): R }, value: unknown): R | string {
  try {
    return validator.validate(value);
  } catch (error) {
    return `cannot be checked: ${messageOf(error)}`;
  }
}
