/** Programs that speak to model APIs directly are served, limited and recorded like sampling. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answered, at, type Answered } from "../fakes/caller.ts";
import { startModelWorld, type ModelWorld } from "../fakes/model-world.ts";
import type { RecordingProvider } from "../fakes/recording-provider.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
let provider: RecordingProvider;
let admin: ModelWorld["admin"];
let keyWith: ModelWorld["keyWith"];
const slug = "endpoints";

beforeAll(async () => {
  ({ router, provider, admin, keyWith } = await startModelWorld(slug));
});
afterAll(async () => {
  await provider.stop();
});
beforeEach(() => provider.says({ text: "Fine.", inputTokens: 100, outputTokens: 20 }));

const send = async (
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<Answered> =>
  answered(
    await fetch(`${router.url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
  );
const chat = (key: string, more: object = {}, headers: Record<string, string> = {}) =>
  send(
    "/v1/chat/completions",
    { model: "gpt-4.1-mini", messages: [{ role: "user", content: "Hello." }], ...more },
    { Authorization: `Bearer ${key}`, ...headers },
  );
const messages = (key: string, more: object = {}) =>
  send(
    `/t/${slug}/v1/messages`,
    {
      model: "claude-haiku-4-5",
      max_tokens: 50,
      messages: [{ role: "user", content: "Hello." }],
      ...more,
    },
    { "x-api-key": key, "anthropic-version": "2023-06-01" },
  );

describe("a model that is named", () => {
  it("answers, whichever wire the caller speaks, and its record says what it cost", async () => {
    const key = await keyWith();
    const answer = await chat(key, { model: "anthropic/claude-haiku-4-5" });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    expect(at(answer.body, "choices.0.message.content")).toBe("Fine.");
    expect(answer.get("usage")).toEqual({
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
    });
    expect(answer.headers.get("x-router-model")).toBe("anthropic/claude-haiku-4-5");
    const id = answer.headers.get("x-request-id") ?? "";
    const record = await admin("GET", `/tenants/${slug}/requests/${id}`);
    expect([record.get("outcome"), record.get("asked.endpoint")]).toEqual([
      "succeeded",
      "chat.completions",
    ]);
    expect(record.get("costUsd")).toBe(Number(answer.headers.get("x-router-cost")));
    expect(record.get("model")).toBe("anthropic/claude-haiku-4-5");
    const other = await messages(key, { model: "gpt-4.1-mini" });
    expect(at(other.body, "content.0.text")).toBe("Fine.");
    expect(other.get("model")).toBe("openai/gpt-4.1-mini");
  });

  it("is no other one, even when it fails", async () => {
    provider.says({ status: 500, body: { error: { message: "broken" } } });
    const before = provider.sent().length;
    const answer = await chat(await keyWith());
    expect([answer.status, answer.get("error.reason")]).toEqual([503, "provider_failed"]);
    const models = provider
      .sent()
      .slice(before)
      .map(({ model }) => model);
    expect(new Set(models)).toEqual(new Set(["gpt-4.1-mini"]));
  });

  it("has to be one that the tenant has", async () => {
    const key = await keyWith();
    const [one, other] = await Promise.all([
      chat(key, { model: "gpt-9" }),
      messages(key, { model: "gpt-9" }),
    ]);
    expect([one.status, one.get("error.code")]).toEqual([404, "model_not_found"]);
    expect([other.status, other.get("error.type")]).toEqual([404, "not_found_error"]);
    expect(one.get("error.message")).toContain('no model named "gpt-9"');
    const id = one.headers.get("x-request-id") ?? "";
    const record = await admin("GET", `/tenants/${slug}/requests/${id}`);
    expect([record.get("decision"), record.get("asked.model")]).toEqual([null, "gpt-9"]);
  });
});

it("Responses carry a round of tools", async () => {
  const key = await keyWith();
  const tools = [{ type: "function", name: "read", parameters: { type: "object" } }];
  const ask = (input: unknown) =>
    send(
      `/t/${slug}/v1/responses`,
      { model: "claude-haiku-4-5", instructions: "Be brief.", input, tools, store: false },
      { Authorization: `Bearer ${key}` },
    );
  provider.says({ text: "", toolUse: { id: "call_1", name: "read", input: { day: 1 } } });
  const user = { role: "user", content: [{ type: "input_text", text: "Read." }] };
  const first = await ask([user]);
  expect([first.get("status"), first.get("object")]).toEqual(["completed", "response"]);
  const [call] = first.get("output") as { call_id: string; arguments: string }[];
  expect(call).toMatchObject({ type: "function_call", name: "read", arguments: '{"day":1}' });
  provider.says({ text: "Monday.", cut: true });
  const output = { type: "function_call_output", call_id: call?.call_id, output: "1" };
  const second = await ask([user, call, output]);
  expect(at(second.body, "output.0.content.0.text")).toBe("Monday.");
  expect(second.get("incomplete_details")).toEqual({ reason: "max_output_tokens" });
});

it("`auto` is chosen by the headers' hints", async () => {
  const answer = await chat(await keyWith(), { model: "auto" }, { "X-Router-Hints": "haiku" });
  expect(answer.headers.get("x-router-model")).toMatch(/^anthropic\/claude-haiku/);
});

it("a tenant's own names choose, and a fallback answers only where the policy says so", async () => {
  const key = await keyWith();
  const setPolicy = (policy: object) => admin("PUT", `/tenants/${slug}/policy`, policy);
  const recordOf = (answer: Answered) =>
    admin("GET", `/tenants/${slug}/requests/${answer.headers.get("x-request-id") ?? ""}`);
  // The process remembers the caller, and reads it again when the policy has changed.
  await chat(key);
  const wrong = await setPolicy({ aliases: { auto: { hints: ["mini"] } } });
  expect([wrong.status, wrong.get("path")]).toEqual([400, "aliases.auto"]);
  const put = await setPolicy({
    aliases: { fast: { hints: ["haiku"] } },
    fallbacks: { "gpt-4.1-mini": ["claude-haiku-4-5"] },
  });
  expect(put.status).toBe(200);
  try {
    const fast = await chat(key, { model: "fast" });
    expect(fast.headers.get("x-router-model")).toMatch(/^anthropic\/claude-haiku/);
    expect(fast.headers.get("x-router-fallback")).toBeNull();
    expect((await recordOf(fast)).get("decision.alias")).toEqual({
      name: "fast",
      hints: ["haiku"],
    });
    const replayed = await recordOf(fast).then(({ get }) =>
      admin("POST", `/tenants/${slug}/requests/${String(get("id"))}/replay`),
    );
    expect([replayed.get("same"), replayed.text]).toEqual([true, replayed.text]);
    const list = await fetch(`${router.url}/v1/models/fast`, { headers: { "x-api-key": key } });
    expect(await list.json()).toMatchObject({ id: "fast", owned_by: "sampling-router" });

    provider.says({ text: "Fine.", inputTokens: 100, outputTokens: 20 });
    const named = await chat(key);
    expect(named.headers.get("x-router-fallback")).toBeNull();
    provider.says({ status: 500, body: { error: { message: "broken" } } }, { text: "Instead." });
    const instead = await chat(key);
    expect(instead.headers.get("x-router-model")).toMatch(/^anthropic\/claude-haiku-4-5/);
    expect(instead.headers.get("x-router-fallback")).toBe("gpt-4.1-mini");
    const record = await recordOf(instead);
    expect(at(record.body, "decision.requirements.fallbacks")).toEqual(["claude-haiku-4-5"]);
  } finally {
    await setPolicy({});
  }
});

it("a schema, an effort and a limit to one tool call reach a model of another wire", async () => {
  const key = await keyWith();
  const schema = {
    type: "object",
    properties: { day: { type: "integer" } },
    required: ["day"],
    additionalProperties: false,
  };
  const json = { text: '{"day":1}' };
  provider.says(json);
  const tools = [{ name: "read", input_schema: { type: "object" } }];
  const toOpenai = await messages(key, {
    model: "gpt-5.4-mini",
    output_config: { effort: "high", format: { type: "json_schema", schema } },
    tools,
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  });
  expect([toOpenai.status, at(toOpenai.body, "content.0.text")]).toEqual([200, '{"day":1}']);
  expect(provider.sent().at(-1)).toMatchObject({
    reasoning_effort: "high",
    parallel_tool_calls: false,
    response_format: { type: "json_schema", json_schema: { strict: true, schema } },
  });
  provider.says(json);
  const toAnthropic = await chat(key, {
    model: "claude-sonnet-4-6",
    reasoning_effort: "high",
    response_format: { type: "json_schema", json_schema: { name: "day", schema } },
  });
  expect([toAnthropic.status, toAnthropic.text]).toEqual([200, toAnthropic.text]);
  expect(provider.sent().at(-1)).toMatchObject({
    output_config: { effort: "high", format: { type: "json_schema", schema } },
  });
  const notAsked = await chat(key, {
    model: "claude-sonnet-4-6",
    response_format: { type: "json_schema", json_schema: { name: "day", schema } },
  });
  expect(at(provider.sent().at(-1), "output_config.effort")).not.toBe("high");
  expect(notAsked.status).toBe(200);
});

it("a tool call comes back under the caller's name, and its result goes on", async () => {
  const key = await keyWith();
  const model = "claude-haiku-4-5";
  const tools = [
    { type: "function", function: { name: "calendar.read", parameters: { type: "object" } } },
  ];
  await chat(key, { model, tools });
  const alias = String(at(provider.sent().at(-1), "tools.0.name"));
  expect(alias).toMatch(/^calendar_read_/);
  provider.says({ text: "", toolUse: { id: "call_1", name: alias, input: {} } });
  const first = await chat(key, { model, tools, tool_choice: "auto" });
  expect([at(first.body, "choices.0.finish_reason"), first.text]).toEqual([
    "tool_calls",
    first.text,
  ]);
  expect(at(first.body, "choices.0.message.tool_calls.0.function.name")).toBe("calendar.read");
  provider.says({ text: "Done." });
  const said = at(first.body, "choices.0.message");
  const second = await chat(key, {
    model,
    tools,
    messages: [
      { role: "user", content: "Read." },
      said,
      { role: "tool", tool_call_id: at(said, "tool_calls.0.id"), content: "Monday" },
    ],
  });
  expect(at(second.body, "choices.0.message.content")).toBe("Done.");
});

describe("a limit", () => {
  it("of money that is used up is told so that clients stop", async () => {
    const key = await keyWith({ usdPerDay: 0.000_001 });
    const [openai, anthropic] = await Promise.all([chat(key), messages(key)]);
    expect([openai.status, openai.get("error.code")]).toEqual([429, "insufficient_quota"]);
    expect(openai.headers.get("x-should-retry")).toBe("false");
    expect([anthropic.status, anthropic.get("error.type")]).toEqual([402, "billing_error"]);
  });

  it("of a minute is told with the wait", async () => {
    const key = await keyWith({ requestsPerMinute: 1 });
    await chat(key);
    const answer = await chat(key);
    expect([answer.status, answer.get("error.code")]).toEqual([429, "rate_limit_exceeded"]);
    const seconds = Number(answer.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(Math.ceil(Number(answer.headers.get("retry-after-ms")) / 1_000)).toBe(seconds);
  });
});

it("the same Idempotency-Key is answered again, and charged once", async () => {
  const key = await keyWith();
  const before = provider.sent().length;
  const headers = { "Idempotency-Key": "once" };
  const [one, again] = [await chat(key, {}, headers), await chat(key, {}, headers)];
  expect(again.body).toMatchObject({ choices: one.get("choices"), usage: one.get("usage") });
  expect(provider.sent().length - before).toBe(1);
  const other = await chat(key, { max_tokens: 9 }, headers);
  expect([other.status, other.get("error.reason")]).toEqual([400, "idempotency_conflict"]);
});

it("a tag that the policy requires is named by its header", async () => {
  const key = await keyWith();
  await admin("PUT", `/tenants/${slug}/policy`, { tags: { required: true } });
  try {
    const without = await chat(key);
    expect([without.status, without.get("error.param")]).toEqual([400, "X-Router-Tag"]);
    expect((await chat(key, {}, { "X-Router-Tag": "nightly" })).status).toBe(200);
  } finally {
    await admin("PUT", `/tenants/${slug}/policy`, {});
  }
});

it("a page of an allowed origin may call with an SDK's headers, and read those that the SDK acts on", async () => {
  const Origin = new URL(router.url).origin;
  const sent = [
    "authorization",
    "x-api-key",
    "anthropic-version",
    "x-stainless-os",
    "x-router-tag",
  ];
  const endpoint = `${router.url}/t/${slug}/v1/messages`;
  const preflight = await fetch(endpoint, {
    method: "OPTIONS",
    headers: {
      Origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": sent.join(", "),
    },
  });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
    204,
    Origin,
  ]);
  const allowed = preflight.headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
  expect(sent.filter((name) => allowed?.includes(name) !== true)).toEqual([]);
  const call = (from: string, stream: boolean) =>
    fetch(endpoint, {
      method: "POST",
      headers: { Origin: from, "Content-Type": "application/json", "x-api-key": ownKey },
      body: JSON.stringify({ ...asked, max_tokens: 50, stream }),
    });
  const [asked, ownKey] = [
    { model: "auto", messages: [{ role: "user", content: "Hello." }] },
    await keyWith(),
  ];
  for (const stream of [false, true]) {
    const answer = await call(Origin, stream);
    await answer.text();
    expect([stream, answer.status]).toEqual([stream, 200]);
    const exposed = answer.headers.get("access-control-expose-headers")?.toLowerCase().split(", ");
    const read = ["x-request-id", "request-id", "retry-after", "retry-after-ms", "x-should-retry"];
    expect(read.filter((name) => exposed?.includes(name) !== true)).toEqual([]);
  }
  expect((await call("https://elsewhere.example", false)).status).toBe(403);
});

it("two keys, and a key that is there twice in the body, are refused", async () => {
  const key = await keyWith();
  const two = await chat(key, {}, { "x-api-key": await keyWith() });
  expect([two.status, two.get("error.code")]).toEqual([401, "invalid_api_key"]);
  const twice = await answered(
    await fetch(`${router.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
      body: '{"model":"auto","model":"gpt-4.1-mini","messages":[{"role":"user","content":"x"}]}',
    }),
  );
  expect([twice.status, twice.text.includes('\\"model\\"')]).toEqual([400, true]);
});

it("models are listed in the shape of the caller's API, and one is found by its name", async () => {
  const key = await keyWith();
  const get = async (path: string, headers: Record<string, string> = {}) =>
    answered(
      await fetch(`${router.url}${path}`, {
        headers: { Authorization: `Bearer ${key}`, ...headers },
      }),
    );
  const openai = await get("/v1/models");
  expect(openai.get("object")).toBe("list");
  const ids = (openai.get("data") as { id: string }[]).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["auto", "openai/gpt-4.1-mini"]));
  const version = { "anthropic-version": "2023-06-01" };
  const anthropic = await get("/v1/models?limit=1000", version);
  expect(anthropic.get("has_more")).toBe(false);
  const named = (anthropic.get("data") as { id: string }[]).map(({ id }) => id);
  expect(named).toEqual(ids);
  const pages = [`limit=2`, `limit=2&after_id=${named[1]}`, `limit=2&before_id=${named[4]}`];
  const read = await Promise.all(pages.map((query) => get(`/v1/models?${query}`, version)));
  expect(read.map((page) => (page.get("data") as { id: string }[]).map(({ id }) => id))).toEqual([
    named.slice(0, 2),
    named.slice(2, 4),
    named.slice(2, 4),
  ]);
  expect(read.map((page) => [page.get("has_more"), page.get("last_id")])).toEqual([
    [true, named[1]],
    [named.length > 4, named[3]],
    [true, named[3]],
  ]);
  for (const query of ["limit=0", "limit=1001", "after_id=none"])
    expect((await get(`/v1/models?${query}`, version)).status).toBe(400);
  for (const path of ["openai/gpt-4.1-mini", "openai%2Fgpt-4.1-mini", "gpt-4.1-mini"])
    expect((await get(`/v1/models/${path}`)).get("id")).toBe("openai/gpt-4.1-mini");
  const unknown = await get("/v1/models/none");
  expect([unknown.status, unknown.get("error.code")]).toEqual([404, "model_not_found"]);
  const probe = (method: string, path: string) => fetch(`${router.url}${path}`, { method });
  expect((await probe("HEAD", `/t/${slug}`)).status).toBe(204);
  expect((await probe("HEAD", "/")).ok).toBe(true);
  for (const path of ["/v1/messages", `/t/${slug}/v1/models`])
    expect((await probe("OPTIONS", path)).status).toBe(204);
});
