/** Independent of revisions. Source: schemas of 2024-11-05 to 2026-07-28, "CreateMessageRequest". */
import type { Modality } from "../modality.ts";
import type { ModelEndpointName } from "../model-endpoint.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { err, ok, type Result } from "../result.ts";
import type { Refusal } from "../refusals.ts";
import type { PassingNeeds, ReasoningWish } from "../requirements.ts";

export interface TextBlock {
  type: "text";
  text: string;
}
export interface ImageBlock {
  type: "image";
  data: string;
  mimeType: string;
}
export interface AudioBlock {
  type: "audio";
  data: string;
  mimeType: string;
}
export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: JsonObject;
  _meta?: JsonObject;
}
export interface ResourceBlock {
  type: "resource" | "resource_link";
  raw: JsonObject;
}
export interface ToolResultBlock {
  type: "tool_result";
  toolUseId: string;
  content: (TextBlock | ImageBlock | AudioBlock | ResourceBlock)[];
  structuredContent?: JsonValue;
  isError?: boolean;
  _meta?: JsonObject;
}
export type Block = TextBlock | ImageBlock | AudioBlock | ToolUseBlock | ToolResultBlock;

export interface Message {
  role: "user" | "assistant";
  content: Block[];
}

export interface Tool {
  name: string;
  description?: string;
  inputSchema: JsonObject;
}

/** 0–1; absent is not the same as 0. */
export interface Priorities {
  cost?: number;
  speed?: number;
  intelligence?: number;
}

/** In `metadata` or `_meta`. */
export const tagMember = "sampling-router/tag";
export const runMember = "sampling-router/run";
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface AnswerSchema {
  name?: string;
  description?: string;
  schema: JsonObject;
}

export interface SamplingCall {
  messages: Message[];
  /** `provider/id`, id or alias; absent: the router selects */
  model?: string;
  fallbacks?: string[];
  alias?: string;
  /** whose API the caller speaks; absent: MCP sampling */
  endpoint?: ModelEndpointName;
  maxTokens: number;
  hints: string[];
  priorities: Priorities;
  systemPrompt?: string;
  includeContext: "none" | "thisServer" | "allServers";
  temperature?: number;
  stopSequences: string[];
  tools: Tool[];
  toolChoice?: "auto" | "required" | "none";
  metadata: JsonObject;
  tag?: string;
  run?: string;
  outputModalities: Modality[];
  /** requested by content negotiation or the tenant's rules */
  format?: "json";
  passing?: PassingNeeds;
  schema?: AnswerSchema;
  /** the caller's own wish, which wins over the policy's */
  reasoning?: ReasoningWish;
  singleToolUse?: true;
}

export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});

export interface SamplingAnswer {
  content: Block[];
  /** `provider/model`, for example `openai/gpt-5.4-mini` */
  model: string;
  stopReason: StopReason;
  providerStopReason?: string;
  passed?: string;
  /** the unchanged answer was too long to keep */
  isOversized?: true;
}

export function blocksOf(call: Pick<SamplingCall, "messages">): (Block | ResourceBlock)[] {
  const blocks: (Block | ResourceBlock)[] = [];
  for (const { content } of call.messages)
    for (const block of content) {
      blocks.push(block);
      if (block.type === "tool_result") blocks.push(...block.content);
    }
  return blocks;
}

const refuse = (path: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path, detail });

export const toolRoundsOf = (messages: readonly Message[]): number =>
  messages.filter(({ content }) => content.some(({ type }) => type === "tool_use")).length;

export const endsWithToolResults = (messages: readonly Message[]): boolean =>
  messages.at(-1)?.content.some(({ type }) => type === "tool_result") ?? false;

/** Checks the whole history. Source: 2025-11-25, "Tool Use in Sampling". */
export function checkToolHistory(messages: readonly Message[]): Result<null, Refusal> {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}.content`;
    const results = message.content.filter((block) => block.type === "tool_result");
    const uses = message.content.filter((block) => block.type === "tool_use");
    if (results.length > 0 && message.role !== "user")
      return refuse(path, "A tool result belongs in a user message.");
    if (uses.length > 0 && message.role !== "assistant")
      return refuse(path, "A tool use belongs in an assistant message.");
    if (results.length > 0 && results.length < message.content.length)
      return refuse(path, "A message with a tool result holds tool results only.");
    const answered = results.map((block) => block.toolUseId);
    const missing = open.find((id) => !answered.includes(id));
    if (missing !== undefined) return refuse(path, `The tool use "${missing}" has no result here.`);
    const stray = answered.find((id, at) => !open.includes(id) || answered.indexOf(id) !== at);
    if (stray !== undefined) return refuse(path, `The tool result "${stray}" answers no tool use.`);
    open = uses.map((block) => block.id);
    if (new Set(open).size < open.length) return refuse(path, "Two tool uses share an id.");
  }
  if (open.length > 0)
    return refuse(`messages.${messages.length}`, `The tool use "${open[0]}" has no result.`);
  return ok(null);
}
