/** A request at a model endpoint reaches a provider of the same API as it came, and the provider's answer comes back as it came. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answered, at } from "../fakes/caller.ts";
import { createModelTenant, type ModelTenant } from "../fakes/model-world.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";
import { answerAt } from "../fakes/wire-answers.ts";
import { eventsAt } from "../fakes/wire-streams.ts";
import { startWireServer, type WireRequest, type WireServer } from "../fakes/wire-server.ts";
import { claudeCode, codex } from "../fixtures/models/recorded.ts";

let router: SharedRouter;
let provider: WireServer;
let admin: ModelTenant["admin"];
let keyWith: ModelTenant["keyWith"];
let received: WireRequest[] = [];
let says: (request: WireRequest) => { status: number; text: string; type?: string };
const slug = "passed";

beforeAll(async () => {
  provider = await startWireServer({
    receives: (request) => void received.push(request),
    answers(request, response) {
      const { status, text, type = "application/json" } = says(request);
      response.writeHead(status, {
        "content-type": type,
        "anthropic-organization-id": "org-of-all",
        "anthropic-ratelimit-requests-remaining": "1",
      });
      response.end(text);
    },
  });
  ({ router, admin, keyWith } = await createModelTenant(slug, provider));
});
afterAll(async () => {
  await provider.stop();
});

/** JSON that nobody would write anew as it is. */
const oddly = (value: object): string => ` ${JSON.stringify(value).replace("{", '{ "x":1.0e2,')}\n`;

beforeEach(() => {
  received = [];
  says = ({ wire }) => ({ status: 200, text: oddly(answerAt(wire ?? "compatible")) });
});

const post = async (path: string, body: string, headers: Record<string, string>) =>
  answered(
    await fetch(`${router.url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
    }),
  );

const asClaudeCode = async (model: string, more: Record<string, string> = {}) =>
  post("/v1/messages?beta=true", claudeCode.body(model), {
    ...claudeCode.headers,
    Authorization: `Bearer ${more["key"] ?? (await keyWith())}`,
  });

const recordOf = async (answer: { headers: Headers }) =>
  admin("GET", `/tenants/${slug}/requests/${answer.headers.get("x-request-id")}`);

describe("Claude Code's request", () => {
  it("reaches Anthropic byte for byte but for the model's name, and the answer comes back as it came", async () => {
    const answer = await asClaudeCode("anthropic/claude-sonnet-4-6");
    expect([answer.status, answer.text]).toEqual([200, oddly(answerAt("anthropic"))]);
    const [sent] = received;
    expect(sent?.path).toMatch(/\/messages\?beta=true$/);
    expect(sent?.bytes.toString()).toBe(claudeCode.body("claude-sonnet-4-6"));
    const { host: _, connection: __, traceparent: ___, ...headers } = sent?.headers ?? {};
    expect(headers).toMatchObject({
      "anthropic-version": "2023-06-01",
      "anthropic-beta": claudeCode.headers["anthropic-beta"],
      "x-api-key": "anthropic-key",
      "accept-encoding": "identity",
    });
    expect(
      Object.keys(headers).filter((name) => /^(x-app|x-stainless|authorization)/.test(name)),
    ).toEqual([]);
    expect(answer.headers.get("x-router-model")).toBe("anthropic/claude-sonnet-4-6");
    expect([...answer.headers.keys()].filter((name) => name.startsWith("anthropic"))).toEqual([]);
    const record = await recordOf(answer);
    expect([record.get("outcome"), record.get("usage.inputTokens")]).toEqual(["succeeded", 10]);
    expect(record.get("costUsd")).toBe(Number(answer.headers.get("x-router-cost")));
  });

  it("is sent to no other API, and the refusal and the record name what only Anthropic's carries", async () => {
    const answer = await asClaudeCode("gpt-4.1-mini");
    expect([answer.status, answer.get("error.type")]).toEqual([400, "invalid_request_error"]);
    expect(answer.get("error.message")).toContain("not_translatable");
    expect(answer.get("error.message")).toContain("context_management");
    expect(received).toEqual([]);
    const record = await recordOf(answer);
    expect(record.get("reason")).toBe("no_eligible_model");
  });

  it("under a budget has its limit of tokens lowered to what the model can write", async () => {
    const body = claudeCode.body("claude-sonnet-4-6").replace("64000", "640000");
    const key = await keyWith({ usdPerDay: 50 });
    await post("/v1/messages", body, { ...claudeCode.headers, "x-api-key": key });
    const sent = received[0]?.bytes.toString() ?? "";
    const limit = Number(/"max_tokens":(\d+)/.exec(sent)?.[1]);
    expect(limit).toBeLessThan(640_000);
    expect(sent).toBe(body.replace("640000", String(limit)));
  });
});

describe("Codex's request", () => {
  const ask = async (model: string, key: string) =>
    post("/v1/responses", codex.body(model), {
      ...codex.headers,
      Authorization: `Bearer ${key}`,
    });

  it("reaches OpenAI byte for byte, and none of its own headers do", async () => {
    const answer = await ask("gpt-5-mini", await keyWith());
    expect([answer.status, answer.text]).toEqual([200, oddly(answerAt("openai-responses"))]);
    expect(received[0]?.bytes.toString()).toBe(codex.body("gpt-5-mini"));
    expect(JSON.stringify(received[0]?.headers)).not.toContain("secret-project");
    expect(received[0]?.headers["authorization"]).toBe("Bearer openai-key");
  });

  it("gets a limit of tokens where a budget applies, since the limit is reserved", async () => {
    const answer = await ask("gpt-5-mini", await keyWith({ usdPerDay: 5 }));
    expect(answer.status).toBe(200);
    const sent = received[0]?.bytes.toString() ?? "";
    expect(sent.replace(/"max_output_tokens":\d+,/, "")).toBe(codex.body("gpt-5-mini"));
    expect(sent).toMatch(/^\{"max_output_tokens":\d+,"model"/);
  });
});

it("a repetition by its key is answered with the same bytes", async () => {
  const key = await keyWith();
  const body = '{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"x"}]}';
  const ask = () =>
    post("/v1/chat/completions", body, {
      Authorization: `Bearer ${key}`,
      "Idempotency-Key": "one",
    });
  const [one, again] = [await ask(), await ask()];
  expect([one.text, again.text, received.length]).toEqual([
    oddly(answerAt("openai-chat")),
    one.text,
    1,
  ]);
});

describe("a stream", () => {
  const streaming = (text: string): string => text.replace("{", '{"stream":true,');
  const streams = (change: (events: string[]) => string[] = (events) => events) => {
    says = ({ wire }) => ({
      status: 200,
      type: "text/event-stream",
      text: change(eventsAt(wire ?? "compatible", { text: "Fine.", thinks: "Hm." })).join(""),
    });
  };

  it("of Claude Code's request comes back as it came, and is recorded", async () => {
    streams((events) => [": connected\r\n\r\n", ...events]);
    const key = await keyWith({ usdPerDay: 50 });
    const answer = await post("/v1/messages", streaming(claudeCode.body("claude-sonnet-4-6")), {
      ...claudeCode.headers,
      "x-api-key": key,
    });
    const sent = [
      ": connected\r\n\r\n",
      ...eventsAt("anthropic", { text: "Fine.", thinks: "Hm." }),
    ];
    expect([answer.status, answer.text]).toEqual([200, sent.join("")]);
    expect(received[0]?.bytes.toString()).toBe(streaming(claudeCode.body("claude-sonnet-4-6")));
    const record = await recordOf(answer);
    expect([record.get("outcome"), record.get("usage.outputTokens")]).toEqual(["succeeded", 5]);
  });

  it("of Codex's request too", async () => {
    streams();
    const answer = await post("/v1/responses", streaming(codex.body("gpt-5-mini")), {
      ...codex.headers,
      Authorization: `Bearer ${await keyWith()}`,
    });
    const sent = eventsAt("openai-responses", { text: "Fine." }).join("");
    expect([answer.status, answer.text]).toEqual([200, sent]);
  });

  it("of Chat asks for the usage, and keeps it from a client that did not", async () => {
    streams();
    const body = streaming('{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"x"}]}');
    const headers = { Authorization: `Bearer ${await keyWith()}`, "Idempotency-Key": "stream" };
    const ask = () => post("/v1/chat/completions", body, headers);
    const answer = await ask();
    const events = eventsAt("openai-chat", { text: "Fine.", thinks: "Hm." });
    expect(answer.text).toBe(events.filter((event) => !event.includes('"choices":[]')).join(""));
    expect(received[0]?.bytes.toString()).toBe(
      `{"stream_options":{"include_usage":true},${body.slice(1)}`,
    );
    const again = await ask();
    expect([again.text, received.length]).toEqual([answer.text, 1]);
  });

  it("that breaks ends with an error in the words of its API", async () => {
    streams((events) => events.slice(0, -2));
    const answer = await post("/v1/messages", streaming(claudeCode.body("claude-sonnet-4-6")), {
      ...claudeCode.headers,
      "x-api-key": await keyWith(),
    });
    expect(answer.text).toContain("event: error\ndata: ");
    expect(answer.text).not.toContain("message_stop");
    expect((await recordOf(answer)).get("outcome")).toBe("failed");
  });
});

it("a change of the policy counts from the next request on, whatever the process remembers of the caller", async () => {
  const key = await keyWith();
  const asCodex = () =>
    post("/v1/responses", '{"model":"gpt-5-mini","input":"x"}', {
      Authorization: `Bearer ${key}`,
    });
  const beta = claudeCode.headers["anthropic-beta"].split(",")[0] ?? "";
  const setPolicy = (policy: object) => admin("PUT", `/tenants/${slug}/policy`, policy);
  try {
    expect((await asCodex()).status).toBe(200);
    await setPolicy({ modelEndpoints: { store: "never" } });
    const refused = await asCodex();
    expect([refused.status, refused.get("error.param")]).toEqual([400, "store"]);
    await setPolicy({});
    expect((await asClaudeCode("claude-sonnet-4-6", { key })).status).toBe(200);
    await setPolicy({ modelEndpoints: { deniedBetas: [beta] } });
    expect((await asClaudeCode("claude-sonnet-4-6", { key })).status).toBe(200);
    const betas = received.map(({ headers }) => String(headers["anthropic-beta"]));
    expect(betas.slice(-2).map((sent) => sent.split(",").includes(beta))).toEqual([true, false]);
  } finally {
    await setPolicy({});
  }
});

describe("a request to count tokens", () => {
  const count = async (model: string) =>
    post("/v1/messages/count_tokens?user=secret&beta=true", claudeCode.body(model), {
      ...claudeCode.headers,
      Authorization: `Bearer ${await keyWith()}`,
    });

  it("is answered by Anthropic where it serves the model", async () => {
    says = () => ({ status: 200, text: '{ "input_tokens":4211 }' });
    const answer = await count("anthropic/claude-sonnet-4-6");
    expect([answer.status, answer.text]).toEqual([200, '{ "input_tokens":4211 }']);
    expect(received.map(({ path, bytes }) => [path, bytes.toString()])).toEqual([
      ["/v1/messages/count_tokens?beta=true", claudeCode.body("claude-sonnet-4-6")],
    ]);
  });

  it("is refused once its key is revoked, whatever the process remembers", async () => {
    says = () => ({ status: 200, text: '{ "input_tokens":4211 }' });
    const made = await admin("POST", `/tenants/${slug}/keys`, { name: "gone", scopes: ["models"] });
    const ask = () =>
      post("/v1/messages/count_tokens", claudeCode.body("claude-sonnet-4-6"), {
        ...claudeCode.headers,
        Authorization: `Bearer ${String(made.get("key"))}`,
      });
    expect((await ask()).status).toBe(200);
    await admin("DELETE", `/tenants/${slug}/keys/${String(made.get("id"))}`);
    expect([(await ask()).status, received.length]).toEqual([401, 1]);
  });

  it("is estimated where another API serves the model, and where Anthropic gives no count", async () => {
    const other = await count("gpt-4.1-mini");
    expect(received).toEqual([]);
    says = () => ({ status: 500, text: "{}" });
    const failed = await count("claude-sonnet-4-6");
    for (const { status, body } of [other, failed])
      expect([status, Number(at(body, "input_tokens")) > 100]).toEqual([200, true]);
  });
});

describe("a provider's refusal", () => {
  const refusing = (status: number, error: object) => {
    says = () => ({ status, text: JSON.stringify({ type: "error", error }) });
  };

  it("of the request is a 400 that nobody repeats", async () => {
    refusing(400, { type: "invalid_request_error", message: "messages.1: signature is invalid" });
    const answer = await asClaudeCode("claude-sonnet-4-6");
    expect([answer.status, answer.get("error.type")]).toEqual([400, "invalid_request_error"]);
    expect(received).toHaveLength(1);
  });

  it("of too many tokens is in the words on which clients compact", async () => {
    refusing(400, {
      type: "invalid_request_error",
      message: "prompt is too long: 250000 tokens > 200000 maximum",
    });
    const answer = await asClaudeCode("claude-sonnet-4-6");
    expect([answer.status, String(answer.get("error.message"))]).toEqual([
      400,
      expect.stringMatching(/^prompt is too long/),
    ]);
  });

  it("of its own overload is one that clients wait for", async () => {
    refusing(529, { type: "overloaded_error", message: "Overloaded" });
    const answer = await asClaudeCode("claude-haiku-4-5");
    expect([answer.status, answer.get("error.type")]).toEqual([529, "overloaded_error"]);
    const record = await recordOf(answer);
    expect(at(record.body, "attempts.0.status")).toBe(529);
  });
});
