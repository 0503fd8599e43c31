import { FlowerError } from "../core/errors.ts";
import { parseJson } from "../core/json.ts";
import type { Schema } from "../core/schema.ts";

/** A final answer read by the agent's outputSchema. */
export type FinalAnswer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly string[] };

/** What the model is told of the form, beside its instructions. */
export function outputInstructions(schema: Schema): string {
  return `Your final answer must be JSON alone, without prose around it, that matches this JSON Schema:\n${JSON.stringify(schema.json)}`;
}

/** Reads the answer: JSON, also inside one code fence. */
export async function readFinalAnswer(text: string, schema: Schema): Promise<FinalAnswer> {
  const json = parseJson(unfence(text.trim()));
  if (json === undefined) return { ok: false, issues: ["it is not JSON"] };
  return schema.validate(json);
}

function unfence(text: string): string {
  return /^```[a-z]*\s*\n([\s\S]*?)\n?```$/i.exec(text)?.[1] ?? text;
}

export function outputMismatch(issues: readonly string[]): string {
  return `Your answer does not have the required form: ${listed(issues)}. Answer again with the JSON alone.`;
}

export function outputInvalid(agent: string, issues: readonly string[]): FlowerError {
  return new FlowerError("output-invalid", `The answer of agent "${agent}" does not match its outputSchema: ${listed(issues)}.`, {
    details: { issues },
  });
}

/** Some schema libraries end their issues with a full stop, others do not. */
function listed(issues: readonly string[]): string {
  return issues.map((issue) => issue.replace(/\.+$/, "")).join("; ");
}
