/**
 * `sampling/createMessage`, compatible with the types of SDK v1 and v2. Source: the specification's schemas,
 * "CreateMessageRequest" and "CreateMessageResult".
 */

export type Content =
  | { type: "text"; text: string; [member: string]: unknown }
  | { type: "image"; data: string; mimeType: string; [member: string]: unknown }
  | { type: "audio"; data: string; mimeType: string; [member: string]: unknown };

export interface ToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
  [member: string]: unknown;
}

/** The router validates everything else. */
export interface SamplingParams {
  messages: readonly { role: "user" | "assistant"; content: unknown }[];
  /** tokens; at least 1 */
  maxTokens: number;
  modelPreferences?: object | undefined;
  systemPrompt?: string | undefined;
  includeContext?: string | undefined;
  temperature?: number | undefined;
  stopSequences?: readonly string[] | undefined;
  metadata?: object | undefined;
  tools?: readonly object[] | undefined;
  toolChoice?: object | undefined;
  _meta?: object | undefined;
}

interface AnyResult {
  role: "user" | "assistant";
  /** `provider/model` if the router answered */
  model: string;
  stopReason?: string;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

export interface SamplingResult extends AnyResult {
  content: Content;
}

export interface SamplingResultWithTools extends AnyResult {
  content: Content | ToolUse | (Content | ToolUse)[];
}

export type ResultOf<P extends SamplingParams> = P extends { tools: readonly object[] }
  ? SamplingResultWithTools
  : SamplingResult;
