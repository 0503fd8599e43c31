import { type ToolOutput, toolOutput } from "../tool.ts";

/** An error result with this text, for the model to read and act on. */
export function refusal(text: string): ToolOutput {
  return toolOutput(text, { isError: true });
}
