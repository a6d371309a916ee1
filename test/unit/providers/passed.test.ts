/** A provider that speaks the caller's API gets the caller's bytes, but for the listed spans, and its answer comes back as it is. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelEndpointName } from "../../../src/domain/model-endpoint.ts";
import type { PassingNeeds } from "../../../src/domain/requirements.ts";
import type { ProviderRequest } from "../../../src/domain/sampling/providers.ts";
import { readModelRequest } from "../../../src/mcp/json-text/model-request.ts";
import { bodyFor } from "../../../src/domain/passing.ts";
import { claudeFormOf, cloudFormOf } from "../../../src/providers/clouds/claude.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { answerAt } from "../../fakes/wire-answers.ts";
import { oddJson, oddObject } from "../../fakes/odd-json.ts";
import { callOf, requestOf } from "../../fixtures/providers/calls.ts";

const places = {
  messages: { provider: "anthropic", model: "claude-sonnet-4-5", wire: "anthropic" },
  responses: { provider: "openai", model: "gpt-5-pro", wire: "openai-responses" },
  "chat.completions": { provider: "groq", model: "llama-3.3-70b-versatile", wire: "groq" },
} as const;

const cloudPlaces = {
  bedrock: { cloud: "bedrock", region: "eu-west-1", geography: null, auth: "apiKey" },
  vertex: { cloud: "vertex", project: "p", location: "global", auth: "serviceAccount" },
} as const;

interface Sent {
  url: string;
  headers: Headers;
  body: string;
}

interface Told {
  addsLimit?: boolean;
  headers?: Record<string, string>;
  provider?: string;
  model?: string;
  answer?: () => Response;
  passing?: PassingNeeds;
}

async function passed(endpoint: ModelEndpointName, text: string, told: Told = {}) {
  const { wire, ...usual } = places[endpoint];
  const body = readModelRequest(new TextEncoder().encode(text));
  if (!body.ok) throw new Error(text);
  const sent: Sent[] = [];
  const messages: string[] = [];
  const { complete } = createProviders({
    fetch: async (url, init) => {
      const bytes = init?.body as Uint8Array;
      const headers = new Headers(init?.headers);
      sent.push({ url: String(url), headers, body: new TextDecoder().decode(bytes) });
      return told.answer?.() ?? Response.json(answerAt(wire));
    },
    demo: false,
    now: () => 0,
  });
  const { provider = usual.provider, model = usual.model } = told;
  const request: ProviderRequest = {
    ...requestOf(
      { provider, model },
      {
        apiKey: "key",
        baseUrl: "http://127.0.0.1:1/v1",
        call: callOf(told.passing === undefined ? {} : { passing: told.passing }),
      },
    ),
    maxTokens: 1_000,
    passed: {
      endpoint,
      body: body.value,
      headers: told.headers ?? {},
      addsLimit: told.addsLimit ?? false,
    },
    onMessage: (message) => void messages.push(message),
  };
  const answer = await complete(request);
  return { answer, sent: sent[0], messages };
}

const names = Object.keys(places) as ModelEndpointName[];

describe("the request", () => {
  it("is the client's, but for the model and a limit that is too large", async () => {
    const endpoints = fc.constantFrom(...names);
    const unknown = fc.dictionary(
      fc.string({ unit: "grapheme", maxLength: 8 }).map((name) => `x-${name}`),
      oddJson,
      { maxKeys: 4 },
    );
    const limit = fc.constantFrom(["7", "7"], ["1e2", "1e2"], ["64000", "1000"], ["1.0e4", "1000"]);
    const cases = fc.tuple(endpoints, limit, unknown).chain(([endpoint, tokens, others]) => {
      const { model } = places[endpoint];
      const limitName = { messages: "max_tokens", responses: "max_output_tokens" } as const;
      const name = endpoint === "chat.completions" ? "max_tokens" : limitName[endpoint];
      // Two texts with the same space around the same members, one as it came and one as it goes on.
      const edited: [string, string, string][] = [
        ["model", '"auto"', JSON.stringify(model)],
        [name, tokens[0] ?? "", tokens[1] ?? ""],
        ...Object.entries(others).map(([key, text]): [string, string, string] => [key, text, text]),
      ];
      const marked = edited.map(([key], at) => [key, `§${at}§`] as const);
      const filled = (template: string, column: 1 | 2): string =>
        template.replace(/§(\d+)§/g, (_, at: string) => edited[Number(at)]?.[column] ?? "");
      return oddObject(marked).map((template) => ({
        endpoint,
        came: filled(template, 1),
        goes: filled(template, 2),
      }));
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ endpoint, came, goes }) => {
        const { sent } = await passed(endpoint, came);
        expect(sent?.body).toBe(goes);
      }),
    );
  });

  it.each(["bedrock", "vertex"] as const)(
    "for Claude at %s is the client's too, but for the model, the version, and where the stream is asked for",
    async (cloud) => {
      const unknown = fc.dictionary(
        fc.string({ unit: "grapheme", maxLength: 8 }).map((name) => `x-${name}`),
        oddJson,
        { maxKeys: 4 },
      );
      const own = fc.subarray(["model", "stream", "anthropic_version", "max_tokens"], {
        minLength: 1,
      });
      const written: Record<string, string> = {
        model: '"auto"',
        stream: "true",
        anthropic_version: '"2023-06-01"',
        max_tokens: "7",
      };
      const cases = fc.tuple(unknown, own).chain(([others, chosen]) => {
        const members = [
          ...Object.entries(others),
          ...chosen.map((name): [string, string] => [name, written[name] ?? ""]),
        ];
        return oddObject(members).map((came) => ({ came, others, chosen }));
      });
      const versions = { bedrock: "bedrock-2023-05-31", vertex: "vertex-2023-10-16" };
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      fc.assert(
        fc.property(cases, ({ came, others, chosen }) => {
          const read = readModelRequest(new TextEncoder().encode(came));
          if (!read.ok) throw new Error(came);
          const claude = claudeFormOf(cloudPlaces[cloud]);
          const form = claude && cloudFormOf(claude, {});
          const passing = {
            endpoint: "messages",
            body: read.value,
            headers: {},
            addsLimit: false,
          } as const;
          const goes = decode(
            bodyFor(passing, { provider: "anthropic", model: "m", maxTokens: 1_000, form }),
          );
          const isKept = (name: string): boolean =>
            chosen.includes(name) &&
            (name === "max_tokens" || (name === "stream" && cloud === "vertex"));
          const expected = Object.fromEntries([
            ["anthropic_version", versions[cloud]],
            ...Object.entries(JSON.parse(came) as object).filter(
              ([key]) => key in others || isKept(key),
            ),
          ]);
          expect(JSON.parse(goes)).toEqual(expected);
          // What is kept goes on as it was written.
          for (const text of Object.values(others)) expect(goes).toContain(text);
        }),
        { numRuns: 300 },
      );
    },
  );

  it("of 4 MB is the client's too", async () => {
    const text = JSON.stringify({ input: 'é\\"\n'.repeat(1_000_000), model: "auto", x: 1 });
    const { sent } = await passed("responses", text);
    expect(sent?.body === text.replace('"model":"auto"', '"model":"gpt-5-pro"')).toBe(true);
  });

  it.each([
    ["messages", {}, "max_tokens"],
    ["responses", {}, "max_output_tokens"],
    ["chat.completions", {}, "max_tokens"],
    ["chat.completions", { provider: "openai", model: "gpt-5-mini" }, "max_completion_tokens"],
  ] as const)("of %s gets a limit where one is reserved %j", async (endpoint, told, name) => {
    const model = "model" in told ? told.model : places[endpoint].model;
    const { sent } = await passed(endpoint, '{"model":"auto"}', { ...told, addsLimit: true });
    expect(sent?.body).toBe(`{"${name}":1000,"model":"${model}"}`);
    const without = await passed(endpoint, '{"model":"auto"}', told);
    expect(without.sent?.body).toBe(`{"model":"${model}"}`);
  });

  it("without a limit may say so", async () => {
    const { sent } = await passed("responses", '{"model":"auto","max_output_tokens": null}', {
      addsLimit: true,
    });
    expect(sent?.body).toBe('{"model":"gpt-5-pro","max_output_tokens": 1000}');
  });

  it.each([
    [
      '{"model":"m","stream":true}',
      '{"stream_options":{"include_usage":true},"model":"m","stream":true}',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{ "x":1.0}}',
      '{"model":"m","stream":true,"stream_options":{"include_usage":true, "x":1.0}}',
    ],
    [
      '{"model":"m","stream":true,"stream_options": {} }',
      '{"model":"m","stream":true,"stream_options": {"include_usage":true} }',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{"include_usage":false}}',
      '{"model":"m","stream":true,"stream_options":{"include_usage":true}}',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{"include_usage":true}}',
      '{"model":"m","stream":true,"stream_options":{"include_usage":true}}',
    ],
    ['{"model":"m","stream":false}', '{"model":"m","stream":false}'],
  ])("asks for the usage of a stream: %s", async (text, goes) => {
    const { sent } = await passed("chat.completions", text, { model: "m" });
    expect(sent?.body).toBe(goes);
  });

  it("goes to the wire's endpoint with the wire's headers, and no others", async () => {
    const headers = { "anthropic-beta": "a,b", "anthropic-version": "2026-10-21" };
    const one = await passed("messages", '{"model":"m"}', { headers });
    const other = await passed("responses", '{"model":"m"}');
    expect([one.sent?.url, other.sent?.url]).toEqual([
      "http://127.0.0.1:1/v1/messages",
      "http://127.0.0.1:1/v1/responses",
    ]);
    expect(Object.fromEntries(one.sent?.headers ?? [])).toEqual({
      ...headers,
      "accept-encoding": "identity",
      "content-type": "application/json",
      "x-api-key": "key",
    });
    expect(Object.fromEntries(other.sent?.headers ?? [])).toEqual({
      "accept-encoding": "identity",
      authorization: "Bearer key",
      "content-type": "application/json",
    });
    const { sent } = await passed("messages", '{"model":"m"}');
    expect(sent?.headers.get("anthropic-version")).toBe("2023-06-01");
  });
});

const usages = {
  messages: {
    input_tokens: 10,
    cache_read_input_tokens: 1_000,
    cache_creation_input_tokens: 300,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
    output_tokens: 50,
    output_tokens_details: { thinking_tokens: 20 },
  },
  "chat.completions": {
    prompt_tokens: 1_310,
    prompt_tokens_details: { cached_tokens: 1_000 },
    completion_tokens: 50,
    completion_tokens_details: { reasoning_tokens: 20 },
  },
  responses: {
    input_tokens: 1_310,
    input_tokens_details: { cached_tokens: 1_000 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 20 },
  },
} as const;

describe("the answer", () => {
  it.each(names)("of %s comes back as it is, and is charged by its usage", async (endpoint) => {
    const { wire } = places[endpoint];
    const text = ` ${JSON.stringify(answerAt(wire, { usage: usages[endpoint] }))}\n`;
    const { answer } = await passed(endpoint, '{"model":"m"}', {
      answer: () => new Response(text, { headers: { "openai-organization": "org" } }),
    });
    expect(answer).toMatchObject({
      ok: true,
      value: { passed: text, content: [{ type: "text", text: "Fine." }], stopReason: "endTurn" },
    });
    const written = { cacheWriteTokens: 100, cacheWriteHourTokens: 200 };
    expect(answer.ok && answer.value.usage).toEqual({
      inputTokens: 1_310,
      outputTokens: 50,
      estimated: false,
      classes: {
        cacheReadTokens: 1_000,
        ...(endpoint === "messages" && written),
        reasoningTokens: 20,
      },
    });
  });

  it.each(names)("of %s tells whoever captures it of a tool's use", async (endpoint) => {
    const toolUse = { id: "use_1", name: "read", input: { day: 1 } };
    const { answer } = await passed(endpoint, '{"model":"m"}', {
      answer: () => Response.json(answerAt(places[endpoint].wire, { toolUse })),
    });
    expect(answer.ok && [answer.value.stopReason, answer.value.content]).toMatchObject([
      endpoint === "responses" ? "endTurn" : "toolUse",
      [{ type: "tool_use", ...toolUse }],
    ]);
  });

  it.each([
    [
      "messages",
      {
        usage: {
          ...usages.messages,
          service_tier: "priority",
          server_tool_use: { web_search_requests: 3 },
        },
      },
      { factor: 2, feeMicroUsd: 30_000 },
    ],
    ["messages", { usage: { ...usages.messages, service_tier: "standard" } }, {}],
    [
      "responses",
      {
        service_tier: "priority",
        output: [{ type: "web_search_call" }, { type: "message", content: [] }],
      },
      { factor: 2, feeMicroUsd: 10_000 },
    ],
    ["responses", { service_tier: "default" }, {}],
    ["chat.completions", {}, { factor: 1.5 }],
  ] as const)(
    "of %s is charged by what it says of its own price: %j",
    async (endpoint, more, surcharge) => {
      const { answer } = await passed(endpoint, '{"model":"m"}', {
        answer: () => Response.json({ ...answerAt(places[endpoint].wire), ...more }),
        passing: {
          losses: ["service_tier"],
          surcharge: { factor: 1.5 },
          prices: { factors: { priority: 2 }, toolUsd: { web_search: 0.01 } },
        },
      });
      expect(answer.ok && (answer.value.usage.surcharge ?? {})).toEqual(surcharge);
    },
  );

  it("without a usage is charged by an estimate", async () => {
    const { answer } = await passed("messages", '{"model":"m"}', {
      answer: () => Response.json(answerAt("anthropic", { usage: null })),
    });
    expect(answer.ok && answer.value.usage.estimated).toBe(true);
  });
});

describe("a failure", () => {
  const error = (status: number, body: unknown, headers = {}) => ({
    answer: () => Response.json(body, { status, headers }),
  });

  it("means what it means for a translated call", async () => {
    const limited = await passed(
      "messages",
      '{"model":"m"}',
      error(
        429,
        { type: "error", error: { type: "rate_limit_error", message: "slow" } },
        {
          "retry-after": "7",
        },
      ),
    );
    expect(limited.answer).toMatchObject({
      error: { kind: "rate_limit", status: 429, billed: "no", retryAfterMs: 7_000 },
    });
    const refused = await passed(
      "responses",
      '{"model":"m"}',
      error(400, { error: { code: "context_length_exceeded", message: "too long for key" } }),
    );
    expect(refused.answer).toMatchObject({ error: { status: 400, code: "context_length" } });
    expect(refused.messages).toEqual(["too long for [key]"]);
  });

  it.each([
    ["messages", () => new Response("<html>"), "malformed"],
    ["messages", () => new Response(""), "empty"],
    [
      "messages",
      () => Response.json({ type: "error", error: { type: "overloaded_error" } }),
      "server",
    ],
    [
      "chat.completions",
      () => Response.json({ error: { code: 429, message: "slow" } }),
      "rate_limit",
    ],
    [
      "responses",
      () => Response.json({ status: "failed", output: [], error: { code: "server_error" } }),
      "server",
    ],
    [
      "messages",
      () => new Response(null, { status: 302, headers: { location: "http://127.0.0.2/" } }),
      "empty",
    ],
    ["messages", () => new Response(new Uint8Array([123, 255, 125])), "malformed"],
  ] as const)("in a success of %s is one: %s", async (endpoint, answer, kind) => {
    const { answer: given } = await passed(endpoint, '{"model":"m"}', { answer });
    expect(given).toMatchObject({ ok: false, error: { kind } });
  });
});
