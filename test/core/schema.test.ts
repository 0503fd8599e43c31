import { type as ark } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type Schema, type SchemaOutput, toSchema } from "../../src/core/schema.ts";

const JSON_SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "number" }, tags: { type: "array", items: { type: "string" } } },
  required: ["name"],
  additionalProperties: false,
} as const;

const kinds: readonly (readonly [string, Schema<unknown>])[] = [
  ["zod", toSchema(z.object({ name: z.string(), age: z.number().optional(), tags: z.array(z.string()).optional() }).strict(), "T")],
  ["arktype", toSchema(ark({ name: "string", "age?": "number", "tags?": "string[]", "+": "reject" }), "T")],
  ["JSON Schema", toSchema(JSON_SCHEMA, "T")],
];

describe.each(kinds)("%s", (_kind, schema) => {
  test("its JSON form is a plain object schema without a dialect line", () => {
    expect(schema.json).toMatchObject({ type: "object", required: ["name"], properties: { name: { type: "string" } } });
    expect(schema.json).not.toHaveProperty("$schema");
    expect(JSON.parse(JSON.stringify(schema.json))).toEqual(schema.json);
  });

  test("good data validates", async () => {
    expect(await schema.validate({ name: "a", tags: ["x"] })).toEqual({ ok: true, value: { name: "a", tags: ["x"] } });
  });

  test.each([
    ["missing", {}, /name/],
    ["a wrong type", { name: 1 }, /name/],
    ["a wrong type deep inside", { name: "a", tags: ["x", 2] }, /tags.1/],
    ["an unknown member", { name: "a", other: 1 }, /other/],
  ])("%s is refused with an issue that names the place", async (_what, value, place) => {
    const checked = await schema.validate(value);
    expect(checked.ok).toBe(false);
    expect(!checked.ok && checked.issues.join("; ")).toMatch(place);
  });

  test.each([[null], [undefined], ["text"], [7], [[]]])("%s is refused, not thrown", async (value) => {
    const checked = await schema.validate(value);
    expect(checked.ok).toBe(false);
  });
});

test.each([
  ["a reference to nowhere", { type: "object", properties: { a: { $ref: "#/$defs/none" } } }, { a: 1 }],
  ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }, { a: "x" }],
])("a JSON Schema with %s refuses, it does not throw", async (_what, json, value) => {
  const checked = await toSchema(json, "T").validate(value);
  expect(checked.ok).toBe(false);
});

test("a JSON Schema validates synchronously once its validator is there", async () => {
  const schema = toSchema(JSON_SCHEMA, "T");
  expect(schema.validate({ name: "a" })).toBeInstanceOf(Promise);
  await schema.validate({ name: "a" });
  expect(schema.validate({ name: "a" })).toEqual({ ok: true, value: { name: "a" } });
});

test("a schema's own transformation gives the validated value", async () => {
  const schema = toSchema(z.object({ n: z.string().transform(Number) }), "T");
  expect(await schema.validate({ n: "7" })).toEqual({ ok: true, value: { n: 7 } });
});

test("a schema that checks asynchronously is awaited", async () => {
  const schema = toSchema(z.object({ n: z.number().refine(async (n) => n > 1, "too small") }), "T");
  expect(await schema.validate({ n: 2 })).toMatchObject({ ok: true });
  expect(await schema.validate({ n: 1 })).toEqual({ ok: false, issues: ["n: too small"] });
});

test("valibot without its converter fails when the schema is prepared, and names owner and converter", () => {
  expect(() => toSchema(v.object({ a: v.string() }), 'Tool "look"')).toThrow(/Tool "look".*toStandardJsonSchema.*@valibot\/to-json-schema/);
});

test.each([[null], ["text"], [7], [[]]])("%s is no schema, and the owner is named", (value) => {
  expect(() => toSchema(value as never, 'Tool "look"')).toThrow(/Tool "look": the schema must be/);
});

test("the output type follows the schema", () => {
  const zod = z.object({ a: z.number() });
  expectTypeOf<SchemaOutput<typeof zod>>().toEqualTypeOf<{ a: number }>();
  const arktype = ark({ a: "number" });
  expectTypeOf<SchemaOutput<typeof arktype>>().toEqualTypeOf<{ a: number }>();
  expectTypeOf<SchemaOutput<typeof JSON_SCHEMA>>().toBeObject();
});
