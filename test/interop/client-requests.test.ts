/** How many requests each official client makes after each row of the error table in docs/models.md. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorAnswer, type Dialect } from "../../src/http/models/errors.ts";
import { modelErrors } from "../fixtures/model-errors.ts";
import { patient } from "../setup/patience.ts";
import { areClientsInstalled, clientModule } from "./clients/installed.ts";

const once = { openai: 1, anthropic: 1, aiOpenai: 1, aiAnthropic: 1, langchain: 1 };
/** The SDKs repeat a request twice. LangChain would repeat it six times if it weren't told otherwise. */
const again = { openai: 3, anthropic: 3, aiOpenai: 3, aiAnthropic: 3, langchain: 2 };

/** The AI SDK and LangChain ignore `x-should-retry`. LangChain never retries 409, nor a used budget. */
const exceptions: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "a used budget": { aiOpenai: 3 },
  "a call beyond its limit": { aiOpenai: 3 },
  "a pending approval": { aiOpenai: 3, aiAnthropic: 3 },
  "a stream that isn't kept": { aiOpenai: 3, aiAnthropic: 3 },
  "a key that its provider refuses": { aiOpenai: 3, aiAnthropic: 3, langchain: 2 },
};

/** Requests that each client makes in all. */
const expected = Object.fromEntries(
  Object.entries(modelErrors).map(([name, { isRetried = false }]) => [
    name,
    { ...(isRetried ? again : once), ...exceptions[name] },
  ]),
);

interface Chats {
  chat: { completions: { create(body: object): Promise<unknown> } };
}
interface Messages {
  messages: { create(body: object): Promise<unknown> };
}
type Make<Made> = new (options: object) => Made;
type Provider = (options: object) => { chat(model: string): unknown };

const asked = { model: "m", messages: [{ role: "user", content: "Hello." }] };

/** Each asks once, as its documentation shows. */
const clients: Readonly<Record<string, { dialect: Dialect; ask(base: string): Promise<unknown> }>> =
  {
    openai: {
      dialect: "openai",
      async ask(base) {
        const { default: OpenAI } = await clientModule<{ default: Make<Chats> }>("openai");
        const client = new OpenAI({ apiKey: "k", baseURL: `${base}/v1` });
        return client.chat.completions.create(asked);
      },
    },
    anthropic: {
      dialect: "anthropic",
      async ask(base) {
        const { default: Anthropic } = await clientModule<{ default: Make<Messages> }>(
          "@anthropic-ai/sdk",
        );
        const client = new Anthropic({ apiKey: "k", baseURL: base });
        return client.messages.create({ ...asked, max_tokens: 10 });
      },
    },
    aiOpenai: {
      dialect: "openai",
      async ask(base) {
        const { createOpenAI } = await clientModule<{ createOpenAI: Provider }>("@ai-sdk/openai");
        return generated(createOpenAI({ apiKey: "k", baseURL: `${base}/v1` }).chat("m"));
      },
    },
    aiAnthropic: {
      dialect: "anthropic",
      async ask(base) {
        const { createAnthropic } = await clientModule<{ createAnthropic: Provider }>(
          "@ai-sdk/anthropic",
        );
        return generated(createAnthropic({ apiKey: "k", baseURL: `${base}/v1` }).chat("m"));
      },
    },
    langchain: {
      dialect: "openai",
      async ask(base) {
        const { ChatOpenAI } = await clientModule<{
          ChatOpenAI: Make<{ invoke(text: string): Promise<unknown> }>;
        }>("@langchain/openai");
        const configuration = { baseURL: `${base}/v1` };
        return new ChatOpenAI({ apiKey: "k", model: "m", configuration, maxRetries: 1 }).invoke(
          "Hello.",
        );
      },
    },
  };

async function generated(model: unknown): Promise<unknown> {
  const { generateText } = await clientModule<{
    generateText(options: object): Promise<unknown>;
  }>("ai");
  return generateText({ model, prompt: "Hello." });
}

// Only `npm run clients` installs them.
describe.skipIf(!areClientsInstalled)("after", () => {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const [, client = "", row = ""] = (request.url ?? "").split("/").map(decodeURIComponent);
    const of = `${client} ${row}`;
    counts.set(of, (counts.get(of) ?? 0) + 1);
    const refusal = modelErrors[row]?.refusal ?? { reason: "internal" };
    const dialect = clients[client]?.dialect ?? "openai";
    const { status, headers, body } = errorAnswer(refusal, { dialect, requestId: "req_1" });
    request.resume().once("end", () => {
      response.writeHead(status, { "Content-Type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    });
  });
  let url = "";

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it(
    "each refusal, each client makes as many requests as the table says",
    { timeout: patient(60_000) },
    async () => {
      const made = await Promise.all(
        Object.entries(expected).map(async ([row, byClient]) => {
          const each = await Promise.all(
            Object.keys(byClient).map(async (client) => {
              const base = `${url}/${client}/${encodeURIComponent(row)}`;
              const failed = await clients[client]?.ask(base).then(
                () => null,
                (thrown: unknown) => thrown,
              );
              expect([client, row, failed]).toEqual([client, row, expect.any(Error)]);
              return [client, counts.get(`${client} ${row}`) ?? 0] as const;
            }),
          );
          return [row, Object.fromEntries(each)] as const;
        }),
      );
      expect(Object.fromEntries(made)).toEqual(expected);
    },
  );
});
