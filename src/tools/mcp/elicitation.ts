import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { readYesNo } from "../../core/yes-no.ts";

/** Asks a person for a server: the answer as it was given, or why there is none. Never made up. */
export type AskPerson = (question: string, options: readonly string[]) => Promise<{ readonly answer: string } | "declined" | "nobody">;

type Property = ElicitRequestFormParams["requestedSchema"]["properties"][string];
type Value = string | number | boolean | string[];

/**
 * What a server wants to know, asked field by field. An answer that does not fit its field is asked for once more, with what is
 * wanted; then the whole request is cancelled rather than filled in.
 */
export async function elicit(server: string, params: ElicitRequestFormParams, ask: AskPerson): Promise<ElicitResult> {
  const { properties, required = [] } = params.requestedSchema;
  const fields = Object.entries(properties);
  if (fields.length === 0) return confirm(`${server}: ${params.message}`, ask);
  const content: Record<string, Value> = {};
  for (const [name, property] of fields) {
    const isRequired = required.includes(name);
    const value = await askField(`${server}: ${params.message}`, { name, property, isRequired }, ask);
    if (value === "declined" || value === "nobody") return { action: value === "declined" ? "decline" : "cancel" };
    if (value === "unfit") return { action: "cancel" };
    if (value !== undefined) content[name] = value.value;
  }
  return { action: "accept", content };
}

async function confirm(question: string, ask: AskPerson): Promise<ElicitResult> {
  const said = await ask(question, ["accept", "decline"]);
  if (said === "nobody") return { action: "cancel" };
  return { action: said !== "declined" && readFlag(said.answer.trim()) ? "accept" : "decline" };
}

interface Field {
  readonly name: string;
  readonly property: Property;
  readonly isRequired: boolean;
}

async function askField(message: string, field: Field, ask: AskPerson) {
  const { name, property, isRequired } = field;
  const options = optionsOf(property);
  const title = property.title ?? name;
  const about = property.description === undefined ? title : `${title} (${property.description})`;
  for (const hint of ["", ` — ${wanted(property, options)}`]) {
    const said = await ask(`${message}\n${about}${isRequired ? "" : " (optional)"}${hint}`, options);
    if (said === "nobody") return said;
    if (said === "declined") return isRequired ? said : undefined;
    const value = readValue(said.answer.trim(), property, options);
    if (value !== undefined) return { value };
  }
  return "unfit" as const;
}

function optionsOf(property: Property): readonly string[] {
  if (property.type === "boolean") return ["true", "false"];
  if ("enum" in property && property.enum) return property.enum;
  if ("oneOf" in property && property.oneOf) return property.oneOf.map((one) => one.const);
  return [];
}

function wanted(property: Property, options: readonly string[]): string {
  return options.length > 0 ? options.join(" | ") : property.type;
}

/** A yes or a no, or the number of one of the two options. */
function readFlag(answer: string): boolean | undefined {
  return answer === "1" ? true : answer === "2" ? false : readYesNo(answer);
}

function readValue(answer: string, property: Property, options: readonly string[]): Value | undefined {
  switch (property.type) {
    case "boolean":
      return readFlag(answer);
    case "number":
    case "integer": {
      const value = Number(answer);
      const fits = answer !== "" && Number.isFinite(value) && (property.type === "number" || Number.isInteger(value));
      return fits && value >= (property.minimum ?? value) && value <= (property.maximum ?? value) ? value : undefined;
    }
    case "array":
      return answer.split(",").map((one) => one.trim());
    default:
      if (options.length > 0) return options.find((one, index) => one === answer || String(index + 1) === answer);
      return hasFittingLength(answer, property) ? answer : undefined;
  }
}

function hasFittingLength(answer: string, property: Property): boolean {
  const { minLength = 0, maxLength = answer.length } = property as { readonly minLength?: number; readonly maxLength?: number };
  return answer.length >= minLength && answer.length <= maxLength;
}
