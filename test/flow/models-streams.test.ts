/** Answers of the model endpoints stream in each wire's own events, and a broken stream never ends cleanly. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startModelWorld, type ModelWorld } from "../fakes/model-world.ts";
import type { RecordingProvider } from "../fakes/recording-provider.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
let provider: RecordingProvider;
let admin: ModelWorld["admin"];
let keyWith: ModelWorld["keyWith"];
const slug = "streams";

beforeAll(async () => {
  ({ router, provider, admin, keyWith } = await startModelWorld(slug));
});
afterAll(async () => {
  await provider.stop();
});
const text = "Some words, in pieces.";
beforeEach(() => provider.says({ text, inputTokens: 100, outputTokens: 20 }));

const ask = [{ role: "user", content: "Hello." }];
const wires = {
  chat: { path: "chat/completions", body: { messages: ask, max_tokens: 50 } },
  messages: { path: "messages", body: { messages: ask, max_tokens: 50 } },
  responses: { path: "responses", body: { input: "Hello.", max_output_tokens: 50 } },
} as const;
type Wire = keyof typeof wires;
const names = Object.keys(wires) as Wire[];
const model = "anthropic/claude-haiku-4-5";

const open = (wire: Wire, key: string, more: object = {}, signal?: AbortSignal) =>
  fetch(`${router.url}/t/${slug}/v1/${wires[wire].path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, stream: true, ...wires[wire].body, ...more }),
    ...(signal !== undefined && { signal }),
  });

const dataIn = (stream: string): Record<string, unknown>[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
const recordOf = async (response: Response) => {
  const id = response.headers.get("x-request-id") ?? "";
  return admin("GET", `/tenants/${slug}/requests/${id}`);
};

it("chat streams the text, and tells the usage where it is asked for", async () => {
  const response = await open("chat", await keyWith(), { stream_options: { include_usage: true } });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(response.headers.get("x-router-model")).toBe(model);
  const stream = await response.text();
  expect(stream.endsWith("data: [DONE]\n\n")).toBe(true);
  const chunks = dataIn(stream) as {
    choices: { delta: { content?: string }; finish_reason: string | null }[];
    usage: unknown;
  }[];
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(text);
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 });
  const record = await recordOf(response);
  expect(record.body).toMatchObject({
    outcome: "succeeded",
    asked: { endpoint: "chat.completions", streamed: true },
    attempts: [{ stream: { status: "complete", firstMs: expect.any(Number) } }],
  });
  const bare = await (await open("chat", await keyWith())).text();
  expect(dataIn(bare).every(({ usage }) => usage === undefined)).toBe(true);
});

describe.each(names)("%s", (wire) => {
  it("is an error in its own words where the stream breaks after its first content", async () => {
    for (const how of ["cut", "clean", "error", "garbage"] as const) {
      // The stream breaks once its first content has arrived.
      const arrived = Promise.withResolvers<void>();
      const pace = async (at: number): Promise<void> => (at === 4 ? arrived.promise : undefined);
      provider.says({ text, breaks: { after: 4, how }, pace });
      const response = await open(wire, await keyWith());
      arrived.resolve();
      const stream = await response.text();
      const last = dataIn(stream).at(-1);
      expect([how, stream.includes("[DONE]"), last?.["error"]]).toEqual([
        how,
        false,
        expect.objectContaining({ reason: "provider_failed" }),
      ]);
      const record = await recordOf(response);
      expect(record.body).toMatchObject({
        outcome: "failed",
        attempts: [{ stream: { status: "interrupted", interruptedBy: "provider" } }],
      });
      expect(Number(record.get("costUsd"))).toBeGreaterThan(0);
    }
  });

  it("has a status of its own where no content has come", async () => {
    provider.says({ text, breaks: { after: 1, how: "error" } });
    const response = await open(wire, await keyWith());
    expect([response.status >= 500, response.headers.get("content-type")]).toEqual([
      true,
      "application/json",
    ]);
  });
});

it("a client that leaves pays for what was written, and the provider's stream is closed", async () => {
  const before = provider.hungUp();
  const arrived = Promise.withResolvers<void>();
  const pace = async (at: number): Promise<void> => (at === 6 ? arrived.promise : undefined);
  provider.says({ text, inputTokens: 100, outputTokens: 20, pace });
  const leaving = new AbortController();
  const response = await open("messages", await keyWith(), {}, leaving.signal);
  const reader = response.body?.getReader();
  await reader?.read();
  leaving.abort();
  await reader?.read().catch(() => undefined);
  await expect.poll(async () => (await recordOf(response)).get("outcome")).toBe("cancelled");
  arrived.resolve();
  const record = await recordOf(response);
  expect(record.body).toMatchObject({
    attempts: [
      {
        fault: "cancelled",
        usage: { inputTokens: 100, estimated: true },
        stream: { status: "interrupted", interruptedBy: "client" },
      },
    ],
  });
  expect(Number(record.get("costUsd"))).toBeGreaterThan(0);
  await expect.poll(() => provider.hungUp()).toBe(before + 1);
});

it("the same Idempotency-Key streams the complete answer again, and no cut one", async () => {
  const key = await keyWith();
  const again = (idempotency: string): Promise<Response> =>
    fetch(`${router.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${key}`,
        "Idempotency-Key": idempotency,
      },
      body: JSON.stringify({ model, stream: true, ...wires.chat.body }),
    });
  const said = async (response: Response): Promise<string> =>
    (dataIn(await response.text()) as { choices: { delta: { content?: string } }[] }[])
      .map(({ choices }) => choices[0]?.delta.content ?? "")
      .join("");
  expect([await said(await again("whole")), await said(await again("whole"))]).toEqual([
    text,
    text,
  ]);
  expect(provider.sent()).toHaveLength(1);
  const arrived = Promise.withResolvers<void>();
  const pace = async (at: number): Promise<void> => (at === 4 ? arrived.promise : undefined);
  provider.says({ text, breaks: { after: 4, how: "cut" }, pace });
  const first = await again("broken");
  arrived.resolve();
  await first.text();
  const second = await again("broken");
  const { error } = (await second.json()) as { error: { code: string; message: string } };
  expect([second.status, error.code, second.headers.get("x-should-retry")]).toEqual([
    409,
    "idempotency_conflict",
    "false",
  ]);
  expect(error.message).toContain(first.headers.get("x-request-id"));
  expect(provider.sent()).toHaveLength(1);
});

describe("an answer of more than 1 MB", () => {
  // Each event has eight characters of the text, so a short text makes a long stream.
  const long = "words... ".repeat(9_000);
  const asked = async (key: string): Promise<Response> => {
    const headers = {
      "Content-Type": "application/json",
      "x-api-key": key,
      "Idempotency-Key": "long",
    };
    const body = JSON.stringify({ model, stream: true, ...wires.messages.body });
    return fetch(`${router.url}/v1/messages`, { method: "POST", headers, body });
  };

  it("isn't repeated, and the refusal names the first request", async () => {
    const key = await keyWith();
    provider.says({ text: long, inputTokens: 100, outputTokens: 20 });
    const first = await asked(key);
    expect((await first.text()).length).toBeGreaterThan(1_048_576);
    const second = await asked(key);
    expect([second.status, await second.text()]).toEqual([
      409,
      expect.stringContaining(first.headers.get("x-request-id") ?? "none"),
    ]);
    expect(provider.sent()).toHaveLength(1);
  });

  it("can't wait for approval, as a shorter one does", async () => {
    const setPolicy = (policy: object) => admin("PUT", `/tenants/${slug}/policy`, policy);
    await setPolicy({ approval: { mode: "result" } });
    try {
      provider.says({ text: long, inputTokens: 100, outputTokens: 20 });
      const tooLong = await asked(await keyWith());
      expect(await tooLong.text()).toContain('"reason":"response_too_large"');
      const record = (await recordOf(tooLong)).body;
      expect(record).toMatchObject({ outcome: "failed", reason: "response_too_large" });
      provider.says({ text, inputTokens: 100, outputTokens: 20 });
      const held = asked(await keyWith());
      const pending = async (): Promise<string[]> => {
        const path = `/tenants/${slug}/approvals?state=waiting`;
        const { body } = await admin("GET", path);
        return (body as { data: { requestId: string }[] }).data.map(({ requestId }) => requestId);
      };
      await expect.poll(pending).toHaveLength(1);
      const [id] = await pending();
      const place = `/tenants/${slug}/approvals/${id ?? ""}`;
      const contentHash = (await admin("GET", place)).get("contentHash");
      await admin("POST", place, { decision: "approve", contentHash });
      const stream = await (await held).text();
      expect(stream).toContain("event: message_stop");
      expect(stream).toContain("Some wor");
    } finally {
      await setPolicy({});
    }
  });
});
