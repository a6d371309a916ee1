import type { SamplingParams, WireRequest } from "./caller.ts";

export const wires = ["Chat Completions", "Responses", "Messages"] as const;
export type Wire = (typeof wires)[number];

interface Block {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
}
interface Tool {
  name: string;
  description?: string;
  inputSchema?: object;
}

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
  "Chat Completions": ({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }),
  Responses: ({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
  }),
  Messages: ({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema ?? { type: "object" },
  }),
};

interface Preferences {
  hints: { name: string }[];
  costPriority: number;
  speedPriority: number;
  intelligencePriority: number;
}

function preferenceHeaders(preferences: object): Record<string, string> {
  const { hints, costPriority, speedPriority, intelligencePriority } = preferences as Preferences;
  return {
    ...(hints.length > 0 && { "X-Router-Hints": hints.map(({ name }) => name).join(",") }),
    "X-Router-Priorities": `cost=${costPriority},speed=${speedPriority},intelligence=${intelligencePriority}`,
  };
}

export function requestIn(wire: Wire, { messages, ...params }: SamplingParams): WireRequest {
  const [{ content }] = messages as [{ content: Block | Block[] }];
  const message = { role: "user", content: [content].flat().map(parts[wire]) };
  const tools = ((params.tools ?? []) as Tool[]).map(toolIn[wire]);
  const shared = { model: "auto", ...(tools.length > 0 && { tools }) };
  const headers = preferenceHeaders(params.modelPreferences);
  const { maxTokens, systemPrompt: system } = params;
  if (wire === "Chat Completions") {
    const led = system === undefined ? [] : [{ role: "system", content: system }];
    const body = { ...shared, max_completion_tokens: maxTokens, messages: [...led, message] };
    return { path: "/v1/chat/completions", headers, body };
  }
  if (wire === "Responses") {
    const instructions = system === undefined ? {} : { instructions: system };
    const body = { ...shared, ...instructions, max_output_tokens: maxTokens, input: [message] };
    return { path: "/v1/responses", headers, body: { ...body, store: false } };
  }
  const led = system === undefined ? {} : { system };
  const body = { ...shared, ...led, max_tokens: maxTokens, messages: [message] };
  return { path: "/v1/messages", headers: { "anthropic-version": "2023-06-01", ...headers }, body };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** @param shown the router's URL, and the key in its place */
export const curlOf = (
  { path, headers, body }: WireRequest,
  { url, key }: { url: string; key: string },
): string =>
  [
    `curl -sS ${url}${path} \\`,
    ...[`Authorization: Bearer ${key}`, "Content-Type: application/json"].map(
      (header) => `  -H "${header}" \\`,
    ),
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`),
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n");
