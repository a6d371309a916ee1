/** The playground's request in the format of each model endpoint. */
import { given } from "../members.ts";
import type { SamplingParams } from "./caller.ts";
import type { WireRequest } from "./wire-request.ts";

export type Media = { type: "image" | "audio"; data: string; mimeType: string };
type Block = Media | { type: "text"; text: string };
type Tool = { name: string; description?: string; inputSchema?: object };

const dataUrl = ({ mimeType, data }: Media): string => `data:${mimeType};base64,${data}`;

const formats = {
  "Chat Completions": {
    path: "/v1/chat/completions",
    headers: {},
    names: { text: "text", max: "max_completion_tokens", schema: "parameters" },
    mediaOf(media: Media) {
      if (media.type === "image") return { type: "image_url", image_url: { url: dataUrl(media) } };
      const format = media.mimeType.split("/")[1];
      return { type: "input_audio", input_audio: { data: media.data, format } };
    },
    toolOf: (tool: object) => ({ type: "function", function: tool }),
    bodyOf: (message: object, content?: string) => ({
      messages: content === undefined ? [message] : [{ role: "system", content }, message],
    }),
  },
  Responses: {
    path: "/v1/responses",
    headers: {},
    names: { text: "input_text", max: "max_output_tokens", schema: "parameters" },
    mediaOf: (media: Media) => ({ type: "input_image", image_url: dataUrl(media) }),
    toolOf: (tool: object) => ({ type: "function", ...tool }),
    bodyOf: (message: object, instructions?: string) => ({
      instructions,
      input: [message],
      store: false,
    }),
  },
  Messages: {
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    names: { text: "text", max: "max_tokens", schema: "input_schema" },
    mediaOf({ type, data, mimeType: media_type }: Media) {
      return { type, source: { type: "base64", media_type, data } };
    },
    toolOf: (tool: object) => tool,
    bodyOf: (message: object, system?: string) => ({ system, messages: [message] }),
  },
};

export type Wire = keyof typeof formats;
export const wires = Object.keys(formats) as Wire[];

export function requestIn(wire: Wire, params: SamplingParams): WireRequest {
  const { path, headers, names, mediaOf, toolOf, bodyOf } = formats[wire];
  const { maxTokens, systemPrompt, modelPreferences } = params;
  const { hints, costPriority, speedPriority, intelligencePriority } = modelPreferences;
  const [{ content }] = params.messages as [{ content: Block[] }];
  const blocks = content.map((block) =>
    block.type === "text" ? { ...block, type: names.text } : mediaOf(block),
  );
  const tools = (params.tools as Tool[] | undefined)?.map(
    ({ inputSchema = { type: "object" }, ...its }) =>
      toolOf({ ...its, [names.schema]: inputSchema }),
  );
  const body = bodyOf({ role: "user", content: blocks }, systemPrompt);
  return {
    path,
    headers: {
      ...headers,
      ...(hints.length > 0 && { "X-Router-Hints": hints.map(({ name }) => name).join(",") }),
      "X-Router-Priorities": `cost=${costPriority},speed=${speedPriority},intelligence=${intelligencePriority}`,
    },
    body: { ...given({ model: "auto", tools, [names.max]: maxTokens, ...body }) },
  };
}
