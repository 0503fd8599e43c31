import { readText } from "../../core/files.ts";
import { isRecord, toJson } from "../../core/json.ts";
import type { SdkHookInput } from "./sdk.ts";

/** What one of the CLI's tools gave, and how the CLI is told of another text in its place, where it takes one. */
export interface CliOutput {
  readonly text: string;
  readonly saying?: (text: string) => Readonly<Record<string, unknown>>;
}

/** What is longer is left where it is. */
const MOST_BYTES = 50_000_000;

/** Reads what a hook after a call is shown. A long output the CLI keeps in a file of its own: that is read in full. */
export async function readOutput(tool: string, { error, tool_response: response }: SdkHookInput): Promise<CliOutput> {
  if (error !== undefined) return { text: error }; // a failure's text stays the CLI's
  if (!isRecord(response)) return { text: typeof response === "string" ? response : JSON.stringify(toJson(response)) };
  if (tool === "Bash" && typeof response["stdout"] === "string") return commandOutput(response);
  if (tool === "Grep" && typeof response["content"] === "string") {
    return { text: response["content"], saying: (content) => ({ ...response, content }) };
  }
  return { text: JSON.stringify(toJson(response)) };
}

async function commandOutput(response: Readonly<Record<string, unknown>>): Promise<CliOutput> {
  const { stdout, stderr, persistedOutputPath: path, persistedOutputSize: bytes = 0, ...rest } = response;
  const isKept = typeof path === "string" && Number(bytes) <= MOST_BYTES;
  const whole = isKept ? await readText(path).catch(() => undefined) : undefined;
  const text = [whole ?? stdout, stderr].filter((part) => typeof part === "string" && part !== "").join("\n");
  return { text, saying: (said) => ({ ...rest, stdout: said, stderr: "" }) };
}
