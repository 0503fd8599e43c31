import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { type Json, toJson } from "../../core/json.ts";
import type { ResultContent } from "../../messages/message.ts";
import { type ToolOutput, toolOutput } from "../tool.ts";

/** What an MCP server answered, as a tool result. Structured data counts only where there is no text of it. */
export function toToolResult(result: CallToolResult): ToolOutput {
  const parts = result.content.map(toPart);
  const { structuredContent } = result;
  if (parts.length === 0 && structuredContent !== undefined) parts.push({ type: "json", value: toJson(structuredContent) });
  if (parts.length === 0) parts.push({ type: "text", text: "Done." });
  return toolOutput(parts, { isError: result.isError === true });
}

function toPart(block: CallToolResult["content"][number]): ResultContent {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", mediaType: block.mimeType, data: block.data };
    case "audio":
      return { type: "text", text: `[audio ${block.mimeType}, which cannot be shown]` };
    case "resource_link":
      return { type: "text", text: `[resource ${block.uri}: ${block.description ?? block.name}]` };
    case "resource":
      return resourcePart(block.resource);
    default:
      return { type: "json", value: block satisfies never as Json };
  }
}

function resourcePart(resource: {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}): ResultContent {
  if (resource.text !== undefined) return { type: "text", text: `[resource ${resource.uri}]\n${resource.text}` };
  if (resource.mimeType?.startsWith("image/") && resource.blob !== undefined)
    return { type: "image", mediaType: resource.mimeType, data: resource.blob };
  return { type: "text", text: `[resource ${resource.uri}, ${resource.mimeType ?? "of unknown type"}, which cannot be shown]` };
}
