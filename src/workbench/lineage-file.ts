import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { readText } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";
import { LANGUAGES } from "../i18n/catalogue.ts";
import type { Lineage, LineagePlace, LineageStep } from "./lineage.ts";

/** The file: the lineages of one workspace by workflow name. */
export interface LineageFile {
  readonly workspace: string;
  readonly workflows: Readonly<Record<string, Lineage>>;
}

/** What the file is to somebody in this workspace. */
export type LineageProbe = { readonly kind: "missing" | "broken" } | { readonly kind: "foreign" | "known"; readonly file: LineageFile };

/** Looks at the file without changing anything. Never throws: what cannot be read is `broken`. */
export async function probeLineage(place: Pick<LineagePlace, "path" | "workspace">): Promise<LineageProbe> {
  try {
    const text = await readText(place.path);
    if (text === undefined) return { kind: "missing" };
    const file = toFile(parseJson(text));
    if (!file) return { kind: "broken" };
    return { kind: file.workspace === (await toReal(place.workspace)) ? "known" : "foreign", file };
  } catch {
    return { kind: "broken" };
  }
}

/** A path as it is compared: links resolved when it exists. */
export async function toReal(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

function toFile(value: unknown): LineageFile | undefined {
  if (!isRecord(value) || typeof value["workspace"] !== "string" || !isRecord(value["workflows"])) return undefined;
  return Object.values(value["workflows"]).every(isLineage) ? (value as unknown as LineageFile) : undefined;
}

function isLineage(value: unknown): value is Lineage {
  if (!isRecord(value) || !isRecord(value["steps"]) || !Array.isArray(value["runs"])) return false;
  const { request, language, woke, runs, steps, documents = {} } = value;
  return (
    typeof request === "string" &&
    LANGUAGES.some((known) => known === language) &&
    typeof woke === "number" &&
    runs.every((run) => typeof run === "string") &&
    isRecord(documents) &&
    Object.values(documents).every((text) => typeof text === "string") &&
    Object.values(steps as object).every(isStep)
  );
}

function isStep(value: unknown): value is LineageStep {
  if (!isRecord(value)) return false;
  const { sessionId, finished, round, unheard = [], judgedBy = "" } = value;
  if (!Array.isArray(unheard) || typeof judgedBy !== "string") return false;
  return (sessionId === undefined || typeof sessionId === "string") && typeof finished === "boolean" && typeof round === "number";
}
