/** How many requests each official client makes after each row of the error table in docs/models.md. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Refusal } from "../../src/domain/refusals.ts";
import type { Requirements } from "../../src/domain/requirements.ts";
import { errorAnswer, type Dialect } from "../../src/http/models/errors.ts";
import { patient } from "../setup/patience.ts";
import { areClientsInstalled, clientModule } from "./clients/installed.ts";

const requirements: Requirements = {
  inputModalities: ["text"],
  outputModalities: ["text"],
  tools: false,
  inputTokens: 300_000,
  maxTokens: 10,
};
const money = { limit: "key.usdPerDay", limitUsd: 1, usedUsd: 1, neededUsd: 0.1 };
const failure = { provider: "openai", model: "m", status: 503, code: null, billed: "no" } as const;
const noModel = (excludedBy: "not_named" | "context_window"): Refusal => ({
  reason: "no_eligible_model",
  cause: "all_excluded",
  requirements,
  candidates: [{ model: "openai/m", excludedBy }],
});

/** A short wait, so that clients that heed it come back within the test. */
const waitMs = 1_000;

const refusals: Readonly<Record<string, Refusal>> = {
  "no key": { reason: "unauthorized", detail: "Unknown API key." },
  "a used budget": { reason: "budget_exceeded", ...money, retryAfterMs: 40_000_000 },
  "running calls in the way": { reason: "budget_exceeded", ...money, retryAfterMs: waitMs },
  "a rate": { reason: "rate_limited", limit: "key.requestsPerMinute", retryAfterMs: waitMs },
  "a kill switch": { reason: "stopped", what: "key", name: "key_1", why: "Leaked." },
  "no such model": noModel("not_named"),
  "a prompt that is too long": noModel("context_window"),
  "providers that fail": {
    reason: "provider_failed",
    attempts: [{ ...failure, retryable: true }],
  } as unknown as Refusal,
  "a pending approval": {
    reason: "approval_pending",
    retryAfterMs: waitMs,
    idempotencyKey: "key-of-the-call",
  },
  "a refused member": { reason: "invalid_params", path: "background", detail: "Not supported." },
};

/** Requests that each client makes in all. The SDKs repeat a request twice, LangChain six times. */
const expected: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "no key": { openai: 1, anthropic: 1, aiOpenai: 1, aiAnthropic: 1, langchain: 1 },
  "a used budget": { openai: 1, anthropic: 1, aiOpenai: 3, aiAnthropic: 1, langchain: 1 },
  "running calls in the way": { openai: 3, anthropic: 3, aiOpenai: 3, aiAnthropic: 3 },
  "a rate": { openai: 3, anthropic: 3, aiOpenai: 3, aiAnthropic: 3 },
  "a kill switch": { openai: 1, anthropic: 1, aiOpenai: 1, aiAnthropic: 1, langchain: 1 },
  "no such model": { openai: 1, anthropic: 1, aiOpenai: 1, aiAnthropic: 1, langchain: 1 },
  "a prompt that is too long": {
    openai: 1,
    anthropic: 1,
    aiOpenai: 1,
    aiAnthropic: 1,
    langchain: 1,
  },
  "providers that fail": { openai: 3, anthropic: 3, aiOpenai: 3, aiAnthropic: 3 },
  "a pending approval": { openai: 1, anthropic: 1, aiOpenai: 3, aiAnthropic: 3, langchain: 1 },
  "a refused member": { openai: 1, anthropic: 1, aiOpenai: 1, aiAnthropic: 1, langchain: 1 },
};

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
        return new ChatOpenAI({ apiKey: "k", model: "m", configuration }).invoke("Hello.");
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
    const refusal = refusals[row] ?? { reason: "internal" };
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
