/** Clients of the three wires that read a stream: the official SDKs, or where they aren't installed, a reader that throws where they do. */
import type { ModelEndpointName } from "../../src/domain/model-endpoint.ts";
import { areClientsInstalled, clientModule } from "../interop/clients/installed.ts";
import { at } from "./caller.ts";

export interface StreamPlace {
  /** URL below which the tenant's endpoints are */
  base: string;
  apiKey: string;
  headers?: Record<string, string>;
  model: string;
  prompt: string;
}

/** Reads the whole text. Rejects if the client reports an error. */
export type ReadStream = (place: StreamPlace) => Promise<string>;

type Events = AsyncIterable<object>;
type Make<Made> = new (options: object) => Made;
interface OpenAI {
  chat: { completions: { create(body: object): Promise<Events> } };
  responses: { create(body: object): Promise<Events> };
}
interface Anthropic {
  messages: { create(body: object): Promise<Events> };
}

const maxTokens = 50;
const messages = (prompt: string): object[] => [{ role: "user", content: prompt }];

const wires = {
  "chat.completions": {
    path: "chat/completions",
    body: (prompt: string) => ({ messages: messages(prompt), max_tokens: maxTokens }),
    textIn: (event: object) => at(event, "choices.0.delta.content"),
  },
  responses: {
    path: "responses",
    body: (prompt: string) => ({ input: prompt, max_output_tokens: maxTokens, store: false }),
    textIn: (event: object) =>
      at(event, "type") === "response.output_text.delta" ? at(event, "delta") : undefined,
  },
  messages: {
    path: "messages",
    body: (prompt: string) => ({ messages: messages(prompt), max_tokens: maxTokens }),
    textIn: (event: object) => at(event, "delta.text"),
  },
} as const satisfies Record<ModelEndpointName, object>;

export const endpoints = Object.keys(wires) as ModelEndpointName[];

const bodyOf = (endpoint: ModelEndpointName, { model, prompt }: StreamPlace): object => ({
  model,
  stream: true,
  ...wires[endpoint].body(prompt),
});

async function openaiAt({ base, apiKey, headers = {} }: StreamPlace): Promise<OpenAI> {
  const { default: Client } = await clientModule<{ default: Make<OpenAI> }>("openai");
  return new Client({ apiKey, baseURL: `${base}/v1`, maxRetries: 0, defaultHeaders: headers });
}

const official: Record<ModelEndpointName, (place: StreamPlace) => Promise<Events>> = {
  async "chat.completions"(place) {
    const client = await openaiAt(place);
    return client.chat.completions.create(bodyOf("chat.completions", place));
  },
  async responses(place) {
    return (await openaiAt(place)).responses.create(bodyOf("responses", place));
  },
  async messages(place) {
    const { base, apiKey, headers = {} } = place;
    const { default: Client } = await clientModule<{ default: Make<Anthropic> }>(
      "@anthropic-ai/sdk",
    );
    const client = new Client({ apiKey, baseURL: base, maxRetries: 0, defaultHeaders: headers });
    return client.messages.create(bodyOf("messages", place));
  },
};

/** All three SDKs throw for a status, for a connection that breaks, and for an event with `error`. None does for a clean end. */
async function* plain(endpoint: ModelEndpointName, place: StreamPlace): AsyncGenerator<object> {
  const response = await fetch(`${place.base}/v1/${wires[endpoint].path}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${place.apiKey}`,
      ...place.headers,
    },
    body: JSON.stringify(bodyOf(endpoint, place)),
  });
  const stream = await response.text();
  if (!response.ok) throw new Error(stream);
  for (const line of stream.split("\n")) {
    if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
    const event = JSON.parse(line.slice(6)) as { error?: unknown };
    if (event.error !== undefined && event.error !== null) throw new Error(line);
    yield event;
  }
}

export function streamClient(endpoint: ModelEndpointName): ReadStream {
  const { textIn } = wires[endpoint];
  return async (place) => {
    const events = areClientsInstalled ? await official[endpoint](place) : plain(endpoint, place);
    let said = "";
    for await (const event of events) said += String(textIn(event) ?? "");
    return said;
  };
}
