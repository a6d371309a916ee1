/** A sampling call in the words of the AI SDK's language models. */
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
 * Whether a wire takes images and audio outside of the user's own messages. Where a wire doesn't, the
 * library drops them in silence or sends their base64 as text, so here they follow in the next user
 * message.
 */
export interface MediaPlaces {
  inToolResults: boolean;
  inAssistantMessages: boolean;
}

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type ContentOutput = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>;

/** Spellings of media types that some provider refuses although it takes the format. */
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

/** An embedded text resource becomes its text, any other resource becomes JSON. */
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

/** A tool result, and the media that could not travel inside it. */
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
  // Always exactly one text: Gemini 2 would get one function response for each text, and none
  // without.
  const said = text.trim() === "" ? "The result is attached." : text;
  if (!places.inToolResults) return { output: { type: "text", value: said }, left: media };
  const value: ContentOutput["value"] = [textPart(said), ...media.map(fileOf)];
  return { output: { type: "content", value }, left: [] };
}

const labelled = (label: string, media: readonly (ImageBlock | AudioBlock)[]): UserPart[] =>
  media.length === 0 ? [] : [textPart(label), ...media.map(fileOf)];

/** What the provider of an earlier turn wanted back together with this tool use. */
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
 * The prompt of a call. Expects a history that `checkToolHistory` accepts: a user message with tool
 * results holds nothing else, and follows the message that used the tools.
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
      // What holds media alone would be nothing.
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
  // The specification wants a JSON schema. A provider refuses by itself what it doesn't know in a
  // schema.
  inputSchema: inputSchema as JSONSchema7,
});

/** `tools` and `toolChoice` of a call; empty where the call offers no tools. */
export function toolsOf(
  call: Pick<SamplingCall, "tools" | "toolChoice">,
): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> {
  if (call.tools.length === 0) return {};
  return { tools: call.tools.map(toolOf), toolChoice: { type: call.toolChoice ?? "auto" } };
}
