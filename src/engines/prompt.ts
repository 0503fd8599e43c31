import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import { isRecord, type Json } from "../core/json.ts";
import { type CallPart, type ImagePart, type Message, type ResultPart, resultText, type TextPart } from "../messages/message.ts";

/** What the prompt is made for. */
export interface PromptTarget {
  /** Our name of the provider: its own metadata goes back to it, nobody else's. */
  readonly provider: string;
  /** The version of the model specification, e.g. `v3`. */
  readonly version: string;
  /** Whether a tool result may hold images; otherwise they follow in a user message. */
  readonly imagesInResults: boolean;
}

/** Our history as a prompt of the AI SDK specification. Nothing empty is sent, and nothing a provider would refuse by its form. */
export function toPrompt(instructions: string, messages: readonly Message[], target: PromptTarget): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Message[] = instructions === "" ? [] : [{ role: "system", content: instructions }];
  for (const message of messages) prompt.push(...toPromptMessages(message, target));
  return prompt;
}

function toPromptMessages(message: Message, target: PromptTarget): readonly LanguageModelV3Message[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [toUserMessage(message, target)];
    case "model":
      return toAssistantMessages(message, target);
    case "tool":
      return toToolMessages(message, target);
    default:
      return message.role satisfies never;
  }
}

type UserContent = Extract<LanguageModelV3Message, { role: "user" }>["content"];
type AssistantContent = Extract<LanguageModelV3Message, { role: "assistant" }>["content"];

function toUserMessage(message: Message, target: PromptTarget): LanguageModelV3Message {
  const content: UserContent = [];
  for (const part of message.parts) {
    if (part.type === "text" && !isBlank(part.text)) content.push({ type: "text", text: part.text });
    if (part.type === "image") content.push(toFile(part, target));
  }
  return { role: "user", content: content.length > 0 ? content : [{ type: "text", text: "(empty message)" }] };
}

function toFile(image: ImagePart, target: PromptTarget): LanguageModelV3FilePart {
  // Version 4 of the specification tags the kinds of data that a file part may have.
  const data = target.version === "v4" ? ({ type: "data", data: image.data } as unknown as string) : image.data;
  return { type: "file", mediaType: image.mediaType, data };
}

function toAssistantMessages(message: Message, target: PromptTarget): readonly LanguageModelV3Message[] {
  const own = message.provider === target.provider;
  const content: AssistantContent = [];
  for (const part of message.parts) {
    if (part.type === "text" && isSaid(part, own)) content.push({ type: "text", text: part.text, ...ownOptions(part, own) });
    if (part.type === "reasoning" && own) content.push({ type: "reasoning", text: part.text, ...ownOptions(part, own) });
    if (part.type === "image") content.push(toFile(part, target));
    if (part.type === "call") {
      content.push({
        type: "tool-call",
        toolCallId: part.callId,
        toolName: safeName(part.name),
        input: toInput(part),
        ...ownOptions(part, own),
      });
    }
  }
  return content.length > 0 ? [{ role: "assistant", content }] : [];
}

/** Providers refuse blank texts; but one of a provider's own may carry data that it needs back. */
function isSaid(part: TextPart, own: boolean): boolean {
  return !isBlank(part.text) || (own && part.text !== "" && part.providerMetadata !== undefined);
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function ownOptions(part: { readonly providerMetadata?: Json }, own: boolean): { providerOptions?: SharedV3ProviderOptions } {
  if (!own || !isRecord(part.providerMetadata)) return {};
  return { providerOptions: part.providerMetadata as SharedV3ProviderOptions };
}

/** Providers refuse a history whose arguments are no object, so what the model got wrong goes back wrapped. */
function toInput(call: CallPart): unknown {
  return isRecord(call.args) ? call.args : { malformed: call.args };
}

/** A model may ask for a tool under a name that providers refuse to read back, or that trips the provider packages' lookups. */
export function safeName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_");
  const isSafe = /^[A-Za-z_]/.test(plain) && !(plain in Object.prototype);
  return (isSafe ? plain : `_${plain}`).slice(0, 64);
}

function toToolMessages(message: Message, target: PromptTarget): readonly LanguageModelV3Message[] {
  const results = message.parts.filter((part): part is ResultPart => part.type === "result");
  const content: LanguageModelV3ToolResultPart[] = results.map((result) => ({
    type: "tool-result",
    toolCallId: result.callId,
    toolName: safeName(result.name),
    output: toOutput(result, target),
  }));
  const prompt: LanguageModelV3Message[] = [{ role: "tool", content }];
  if (!target.imagesInResults) {
    const images = results.flatMap((result) => imagesAfter(result, target));
    if (images.length > 0) prompt.push({ role: "user", content: images });
  }
  return prompt;
}

function imagesAfter(result: ResultPart, target: PromptTarget): UserContent {
  const images = result.content.filter((part): part is ImagePart => part.type === "image");
  if (images.length === 0) return [];
  return [{ type: "text", text: `Image from the result of ${result.name}:` }, ...images.map((image) => toFile(image, target))];
}

function toOutput(result: ResultPart, target: PromptTarget): LanguageModelV3ToolResultOutput {
  const hasImages = result.content.some((part) => part.type === "image");
  if (hasImages && target.imagesInResults && !result.isError) return toRichOutput(result, target); // errors are text alone
  const text = resultText(result.content);
  const value = isBlank(text) ? "(no output)" : text;
  return { type: result.isError ? "error-text" : "text", value };
}

type RichContent = Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"];

function toRichOutput(result: ResultPart, target: PromptTarget): LanguageModelV3ToolResultOutput {
  const value: RichContent = [];
  for (const part of result.content) {
    if (part.type === "image") value.push(toResultImage(part, target));
    else {
      const text = resultText([part]);
      if (!isBlank(text)) value.push({ type: "text", text });
    }
  }
  return { type: "content", value };
}

/** The three versions of the specification have three names for it. */
function toResultImage(image: ImagePart, target: PromptTarget): RichContent[number] {
  const type = target.version === "v2" ? "media" : target.version === "v4" ? "file-data" : "image-data";
  return { type: type as "image-data", mediaType: image.mediaType, data: image.data };
}
