import type { SamplingParams } from "./caller.ts";
import type { WireRequest } from "./wire-request.ts";

export const wires = ["Chat Completions", "Responses", "Messages"] as const;
export type Wire = (typeof wires)[number];

type Block = { type: string; text?: string; data?: string; mimeType?: string };
type Tool = { name: string; description?: string; inputSchema?: object };

const dataUrl = ({ mimeType, data }: Block): string => `data:${mimeType};base64,${data}`;

const parts: Readonly<Record<Wire, (block: Block) => object>> = {
  "Chat Completions": (block) => {
    if (block.type === "text") return { type: "text", text: block.text };
    return block.type === "image"
      ? { type: "image_url", image_url: { url: dataUrl(block) } }
      : {
          type: "input_audio",
          input_audio: { data: block.data, format: block.mimeType?.split("/")[1] },
        };
  },
  Responses: (block) =>
    block.type === "text"
      ? { type: "input_text", text: block.text }
      : { type: "input_image", image_url: dataUrl(block) },
  Messages: (block) =>
    block.type === "text"
      ? { type: "text", text: block.text }
      : {
          type: block.type,
          source: { type: "base64", media_type: block.mimeType, data: block.data },
        },
};

const toolIn: Readonly<Record<Wire, (tool: Tool) => object>> = {
  "Chat Completions": ({ name, description, inputSchema: parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }),
  Responses: ({ name, description, inputSchema: parameters }) => ({
    type: "function",
    name,
    description,
    parameters,
  }),
  Messages: ({ name, description, inputSchema = { type: "object" } }) => ({
    name,
    description,
    input_schema: inputSchema,
  }),
};

function preferenceHeaders({ modelPreferences }: SamplingParams): Record<string, string> {
  const { hints, costPriority, speedPriority, intelligencePriority } = modelPreferences;
  return {
    ...(hints.length > 0 && { "X-Router-Hints": hints.map(({ name }) => name).join(",") }),
    "X-Router-Priorities": `cost=${costPriority},speed=${speedPriority},intelligence=${intelligencePriority}`,
  };
}

export function requestIn(wire: Wire, params: SamplingParams): WireRequest {
  const { maxTokens: max, systemPrompt: system } = params;
  const [{ content }] = params.messages as [{ content: Block | Block[] }];
  const message = { role: "user", content: [content].flat().map(parts[wire]) };
  const tools = ((params.tools ?? []) as Tool[]).map(toolIn[wire]);
  const shared = { model: "auto", ...(tools.length > 0 && { tools }) };
  const headers = preferenceHeaders(params);
  if (wire === "Chat Completions") {
    const messages = [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      message,
    ];
    const body = { ...shared, max_completion_tokens: max, messages };
    return { path: "/v1/chat/completions", headers, body };
  }
  if (wire === "Responses") {
    const led = system === undefined ? {} : { instructions: system };
    const body = { ...shared, ...led, max_output_tokens: max, input: [message], store: false };
    return { path: "/v1/responses", headers, body };
  }
  const led = system === undefined ? {} : { system };
  const body = { ...shared, ...led, max_tokens: max, messages: [message] };
  return { path: "/v1/messages", headers: { "anthropic-version": "2023-06-01", ...headers }, body };
}
