/** Converts a sampling call to the AI SDK's prompt. */
import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isObject, own } from "../domain/json.ts";
import type {
  AudioBlock,
  Block,
  ImageBlock,
  Message,
  ResourceBlock,
  SamplingCall,
  Tool,
  ToolResultBlock,
  ToolUseBlock,
} from "../domain/sampling/call.ts";
import { providerMetadataKey } from "../domain/sampling/tool-loop.ts";

/**
 * Where a wire takes media outside of user messages. Elsewhere libraries drop media or send base64 as text, so
 * it moves to the next user message.
 */
export interface MediaPlaces {
  inToolResults: boolean;
  inAssistantMessages: boolean;
}

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type ContentOutput = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>;

/** Spellings that some providers reject. */
const mediaTypeOf: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "audio/wave": "audio/wav",
  "audio/x-wav": "audio/wav",
  "audio/vnd.wave": "audio/wav",
  "audio/x-mp3": "audio/mp3",
};

function fileOf({ data, mimeType }: ImageBlock | AudioBlock): LanguageModelV4FilePart {
  const bare = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? mimeType;
  const mediaType = Object.hasOwn(mediaTypeOf, bare) ? (mediaTypeOf[bare] ?? bare) : bare;
  return { type: "file", data: { type: "data", data }, mediaType };
}

const isMedia = (block: Block | ResourceBlock): block is ImageBlock | AudioBlock =>
  block.type === "image" || block.type === "audio";

const textPart = (text: string): LanguageModelV4TextPart => ({ type: "text", text });

/** Text for text resources, JSON for others. */
function textOfResource({ raw }: ResourceBlock): string {
  const resource = raw["resource"];
  if (typeof resource === "object" && resource !== null && !Array.isArray(resource)) {
    const text = resource["text"];
    if (typeof text === "string") return text;
  }
  return JSON.stringify(raw);
}

function textOfResult(block: ToolResultBlock): string {
  const texts: string[] = [];
  for (const item of block.content) {
    if (item.type === "text") texts.push(item.text);
    else if (item.type === "resource" || item.type === "resource_link")
      texts.push(textOfResource(item));
  }
  return texts.join("\n");
}

/** Text, and media that must follow separately. */
function outputOf(
  block: ToolResultBlock,
  places: MediaPlaces,
): { output: LanguageModelV4ToolResultOutput; left: (ImageBlock | AudioBlock)[] } {
  const media = block.content.filter(isMedia);
  const text = textOfResult(block);
  if (block.content.length === 0 && block.structuredContent !== undefined) {
    const value = block.structuredContent;
    return { output: { type: block.isError ? "error-json" : "json", value }, left: [] };
  }
  if (block.isError) return { output: { type: "error-text", value: text }, left: media };
  if (media.length === 0) return { output: { type: "text", value: text }, left: [] };
  // Exactly one text: Gemini 2 returns a function response per text.
  const resultText = text.trim() === "" ? "The result is attached." : text;
  if (!places.inToolResults) return { output: { type: "text", value: resultText }, left: media };
  const value: ContentOutput["value"] = [textPart(resultText), ...media.map(fileOf)];
  return { output: { type: "content", value }, left: [] };
}

const labelled = (label: string, media: readonly (ImageBlock | AudioBlock)[]): UserPart[] =>
  media.length === 0 ? [] : [textPart(label), ...media.map(fileOf)];

/** What the provider wants back with a tool use. */
function metadataOf(block: ToolUseBlock): { providerOptions?: SharedV4ProviderOptions } {
  const kept = own(block._meta, providerMetadataKey);
  return isObject(kept) ? { providerOptions: kept as SharedV4ProviderOptions } : {};
}

function assistantMessage(
  message: Message,
  places: MediaPlaces,
): { message: LanguageModelV4Message; left: UserPart[] } {
  const content: Extract<LanguageModelV4Message, { role: "assistant" }>["content"] = [];
  const left: (ImageBlock | AudioBlock)[] = [];
  for (const block of message.content) {
    if (block.type === "text") content.push(textPart(block.text));
    else if (block.type === "tool_use")
      content.push({
        type: "tool-call",
        toolCallId: block.id,
        toolName: block.name,
        input: block.input,
        ...metadataOf(block),
      });
    else if (isMedia(block)) {
      if (places.inAssistantMessages) content.push(fileOf(block));
      else left.push(block);
    }
  }
  return {
    message: { role: "assistant", content },
    left: labelled("Attached to the assistant's message above:", left),
  };
}

/**
 * Expects a history that `checkToolHistory` accepts: messages with tool results have nothing else and follow
 * their tool uses.
 */
export function promptOf(
  call: Pick<SamplingCall, "messages" | "systemPrompt">,
  places: MediaPlaces,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  if (call.systemPrompt !== undefined && call.systemPrompt !== "")
    prompt.push({ role: "system", content: call.systemPrompt });
  const toolNames = new Map<string, string>();
  let waiting: UserPart[] = [];
  for (const message of call.messages) {
    if (message.role === "assistant") {
      for (const block of message.content)
        if (block.type === "tool_use") toolNames.set(block.id, block.name);
      if (waiting.length > 0) prompt.push({ role: "user", content: waiting });
      const converted = assistantMessage(message, places);
      // Skips messages that only had moved media.
      if (converted.message.content.length > 0 || converted.left.length === 0)
        prompt.push(converted.message);
      waiting = converted.left;
      continue;
    }
    const results = message.content.filter((block) => block.type === "tool_result");
    if (results.length > 0) {
      const content: Extract<LanguageModelV4Message, { role: "tool" }>["content"] = [];
      for (const block of results) {
        const { output, left } = outputOf(block, places);
        const toolName = toolNames.get(block.toolUseId) ?? block.toolUseId;
        content.push({ type: "tool-result", toolCallId: block.toolUseId, toolName, output });
        waiting.push(...labelled(`Attached to the result of ${toolName}:`, left));
      }
      prompt.push({ role: "tool", content });
      continue;
    }
    const parts: UserPart[] = [];
    for (const block of message.content) {
      if (block.type === "text") parts.push(textPart(block.text));
      else if (isMedia(block)) parts.push(fileOf(block));
    }
    prompt.push({ role: "user", content: [...waiting, ...parts] });
    waiting = [];
  }
  if (waiting.length > 0) prompt.push({ role: "user", content: waiting });
  return prompt;
}

const toolOf = ({ name, description, inputSchema }: Tool): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  ...(description === undefined ? {} : { description }),
  // Providers reject unsupported schemas themselves.
  inputSchema: inputSchema as JSONSchema7,
});

export function toolsOf(
  call: Pick<SamplingCall, "tools" | "toolChoice">,
): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> {
  if (call.tools.length === 0) return {};
  return { tools: call.tools.map(toolOf), toolChoice: { type: call.toolChoice ?? "auto" } };
}
