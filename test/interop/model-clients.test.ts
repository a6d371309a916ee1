/** Unmodified clients of model APIs do two turns with a tool; only their base URL and key are the router's. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { at } from "../fakes/caller.ts";
import { startModelWorld } from "../fakes/model-world.ts";
import type { RecordingProvider } from "../fakes/recording-provider.ts";
import { areClientsInstalled, clientModule } from "./clients/installed.ts";

const slug = "clients";
const question = "What is the weather in Oslo?";
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tool = { name: "weather", description: "Tells the weather.", input: { city: "Oslo" } };
const result = "Sunny.";
const answer = "It is sunny in Oslo.";

interface Place {
  /** of the router, with the tenant */
  base: string;
  apiKey: string;
  model: string;
}

type Make<Made> = new (options: object) => Made;
interface ResponseStream {
  on(event: string, take: (event: object) => void): ResponseStream;
  finalResponse(): Promise<{ output: object[]; output_text: string }>;
}
interface OpenAI {
  models: { list(): Promise<{ data: { id: string }[] }>; retrieve(id: string): Promise<object> };
  chat: { completions: { create(body: object): Promise<object> } };
  responses: {
    create(body: object): Promise<{ output: object[]; output_text: string }>;
    stream(body: object): ResponseStream;
  };
}
interface Anthropic {
  messages: {
    create(body: object): Promise<{ content: object[] }>;
    countTokens(body: object): Promise<{ input_tokens: number }>;
  };
  models: { list(): AsyncIterable<{ id: string }> };
}

const openaiAt = async ({ base, apiKey }: Place): Promise<OpenAI> => {
  const { default: Client } = await clientModule<{ default: Make<OpenAI> }>("openai");
  return new Client({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 });
};
const anthropicAt = async ({ base, apiKey }: Place): Promise<Anthropic> => {
  const { default: Client } = await clientModule<{ default: Make<Anthropic> }>("@anthropic-ai/sdk");
  return new Client({ apiKey, baseURL: base, maxRetries: 0 });
};

async function chatTurns(place: Place): Promise<unknown> {
  const client = await openaiAt(place);
  const tools = [
    {
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: schema },
    },
  ];
  const asked = { role: "user", content: question };
  const first = await client.chat.completions.create({
    model: place.model,
    messages: [asked],
    tools,
  });
  const said = at(first, "choices.0.message") as object;
  const results = { role: "tool", tool_call_id: at(said, "tool_calls.0.id"), content: result };
  const messages = [asked, said, results];
  const second = await client.chat.completions.create({ model: place.model, messages, tools });
  return at(second, "choices.0.message.content");
}

async function responseTurns(place: Place): Promise<unknown> {
  const client = await openaiAt(place);
  const tools = [{ type: "function", name: tool.name, parameters: schema, strict: false }];
  const asked = { role: "user", content: question };
  const shared = { model: place.model, tools, store: false };
  const first = await client.responses.create({ ...shared, input: [asked] });
  const call = first.output.find((each) => at(each, "type") === "function_call");
  const output = {
    type: "function_call_output",
    call_id: at(call, "call_id"),
    output: result,
  };
  const input = [asked, ...first.output, output];
  return (await client.responses.create({ ...shared, input })).output_text;
}

async function messageTurns(place: Place): Promise<unknown> {
  const client = await anthropicAt(place);
  const tools = [{ name: tool.name, description: tool.description, input_schema: schema }];
  const asked = { role: "user", content: question };
  const shared = { model: place.model, max_tokens: 1_000, tools };
  const first = await client.messages.create({ ...shared, messages: [asked] });
  const use = first.content.find((each) => at(each, "type") === "tool_use");
  const results = [{ type: "tool_result", tool_use_id: at(use, "id"), content: result }];
  const second = await client.messages.create({
    ...shared,
    messages: [
      asked,
      { role: "assistant", content: first.content },
      { role: "user", content: results },
    ],
  });
  return at(second.content, "0.text");
}

interface Ai {
  generateText(options: object): Promise<{ text: string; steps: unknown[] }>;
  tool(options: object): unknown;
  jsonSchema(schema: object): unknown;
  stepCountIs(steps: number): unknown;
}

async function aiTurns(model: unknown): Promise<unknown> {
  const ai = await clientModule<Ai>("ai");
  const weather = ai.tool({
    description: tool.description,
    inputSchema: ai.jsonSchema(schema),
    execute: async () => result,
  });
  const { text } = await ai.generateText({
    model,
    prompt: question,
    tools: { weather },
    stopWhen: ai.stepCountIs(3),
    maxRetries: 0,
    providerOptions: { openai: { store: false } },
  });
  return text;
}

type Provider = ((model: string) => unknown) & { chat(model: string): unknown };
const aiWith =
  (name: string, factory: string, { isChat }: { isChat: boolean }) =>
  async ({ base, apiKey, model }: Place): Promise<unknown> => {
    const made = await clientModule<Record<string, (options: object) => Provider>>(name);
    const provider = made[factory]?.({ name: "router", apiKey, baseURL: `${base}/v1` });
    return aiTurns(isChat ? provider?.chat(model) : provider?.(model));
  };

const streamed: Readonly<Record<string, (place: Place) => Promise<string>>> = {
  async "OpenAI SDK, Chat Completions"(place) {
    const client = await openaiAt(place);
    const messages = [{ role: "user", content: question }];
    const body = { model: place.model, messages, stream: true };
    const chunks = (await client.chat.completions.create(body)) as AsyncIterable<unknown>;
    let text = "";
    for await (const chunk of chunks) text += String(at(chunk, "choices.0.delta.content") ?? "");
    return text;
  },
  async "OpenAI SDK, Responses"(place) {
    const client = await openaiAt(place);
    const body = { model: place.model, input: question, store: false, stream: true };
    const events = (await client.responses.create(body)) as unknown as AsyncIterable<unknown>;
    let text = "";
    for await (const event of events)
      if (at(event, "type") === "response.output_text.delta") text += String(at(event, "delta"));
    return text;
  },
  async "OpenAI SDK, Responses with its helper"(place) {
    const client = await openaiAt(place);
    let text = "";
    const final = await client.responses
      .stream({ model: place.model, input: question, store: false })
      .on("response.output_text.delta", (event) => (text = String(at(event, "snapshot"))))
      .finalResponse();
    return text === final.output_text ? text : `${text}, then ${final.output_text}`;
  },
  async "Anthropic SDK"(place) {
    const client = await anthropicAt(place);
    const messages = [{ role: "user", content: question }];
    const body = { model: place.model, max_tokens: 100, messages, stream: true };
    const events = (await client.messages.create(body)) as unknown as AsyncIterable<unknown>;
    let text = "";
    for await (const event of events) text += String(at(event, "delta.text") ?? "");
    return text;
  },
};

interface ToolMessage {
  content: unknown;
  tool_calls?: { id: string }[];
}
interface LangChainModel {
  bindTools(tools: object[]): { invoke(messages: unknown[]): Promise<ToolMessage> };
}

async function langchainTurns({ base, apiKey, model }: Place): Promise<unknown> {
  const { ChatOpenAI } = await clientModule<{ ChatOpenAI: Make<LangChainModel> }>(
    "@langchain/openai",
  );
  const configuration = { baseURL: `${base}/v1` };
  const parameters = { name: tool.name, description: tool.description, parameters: schema };
  const bound = new ChatOpenAI({ apiKey, model, configuration, maxRetries: 0 }).bindTools([
    { type: "function", function: parameters },
  ]);
  const asked = { role: "user", content: question };
  const first = await bound.invoke([asked]);
  const results = { role: "tool", tool_call_id: first.tool_calls?.[0]?.id, content: result };
  return (await bound.invoke([asked, first, results])).content;
}

const clients: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  "OpenAI SDK, Chat Completions": chatTurns,
  "OpenAI SDK, Responses": responseTurns,
  "Anthropic SDK": messageTurns,
  "AI SDK, OpenAI's Responses": aiWith("@ai-sdk/openai", "createOpenAI", { isChat: false }),
  "AI SDK, OpenAI's Chat Completions": aiWith("@ai-sdk/openai", "createOpenAI", { isChat: true }),
  "AI SDK, Anthropic": aiWith("@ai-sdk/anthropic", "createAnthropic", { isChat: false }),
  "AI SDK, OpenAI-compatible": aiWith("@ai-sdk/openai-compatible", "createOpenAICompatible", {
    isChat: false,
  }),
  LangChain: langchainTurns,
};

// Only `npm run clients` installs them.
describe.skipIf(!areClientsInstalled)("an unmodified client", () => {
  let provider: RecordingProvider;
  let place: Omit<Place, "model">;

  beforeAll(async () => {
    const world = await startModelWorld(slug);
    ({ provider } = world);
    place = { base: world.base, apiKey: await world.keyWith() };
  });
  afterAll(() => provider.stop());
  beforeEach(() => {
    const toolUse = { id: "call_1", name: tool.name, input: tool.input };
    provider.says({ text: "", toolUse }, { text: answer });
  });

  const models = ["gpt-5.4-mini", "claude-haiku-4-5"];
  const cases = Object.entries(clients).flatMap(([name, turns]) =>
    models.map((model) => [name, model, turns] as const),
  );
  it.each(cases)("%s, does two turns with a tool at %s", async (_, model, turns) => {
    expect(await turns({ ...place, model })).toBe(answer);
    const [, second] = provider.sent();
    expect(JSON.stringify(second)).toContain(result);
  });

  const streams = Object.entries(streamed).flatMap(([name, read]) =>
    models.map((model) => [name, model, read] as const),
  );
  it.each(streams)("%s, reads a stream of %s", async (_, model, read) => {
    provider.says({ text: answer });
    expect(await read({ ...place, model })).toBe(answer);
  });

  it("lists models and counts tokens", async () => {
    const openai = await openaiAt({ ...place, model: "auto" });
    expect((await openai.models.list()).data.map(({ id }) => id)).toContain("openai/gpt-5.4-mini");
    expect(await openai.models.retrieve("openai/gpt-5.4-mini")).toMatchObject({ object: "model" });
    const anthropic = await anthropicAt({ ...place, model: "auto" });
    const named: string[] = [];
    for await (const { id } of anthropic.models.list()) named.push(id);
    expect(named).toContain("anthropic/claude-haiku-4-5");
    const messages = [{ role: "user", content: question }];
    const counted = await anthropic.messages.countTokens({ model: "auto", messages });
    expect(counted.input_tokens).toBeGreaterThan(0);
  });
});
