/**
 * Every refusal that can be provoked from outside, through each surface that says it, held against the
 * one table: code, HTTP status, headers, and the audit record where there is one.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reasons, refusalTable, type Reason } from "../../src/domain/refusals.ts";
import { adminOf, asking, callOnce, createTenant, openSession } from "../fakes/caller.ts";
import type { Answered, SamplingCaller } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { patient } from "../setup/patience.ts";

/** Stands wherever content can stand; no refusal may repeat it. */
const canary = "xyzzy-canary";
const slug = "refusals";
const capabilities = { sampling: { tools: {} } };
const tool = { name: "look", inputSchema: { type: "object" } };

let router: SharedRouter;
let faulty: FaultyProvider;
let credential: Parameters<typeof createTenant>[2];
let key = "";
let limitedKey = "";
let narrowKey = "";
let samplingKey = "";
let session: SamplingCaller;
let limited: SamplingCaller;
let admin: ReturnType<typeof adminOf>;

beforeAll(async () => {
  faulty = await startFaultyProvider({ slowMs: 20_000 });
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
  const policy = { allowedModels: ["openai/gpt-4.1-mini"], toolRounds: 1, deadlineMs: 1_000 };
  credential = { provider: "openai", baseUrl: faulty.url("openai"), policy };
  ({ key } = await createTenant(router, slug, credential));
  const narrow = await admin("POST", `/tenants/${slug}/keys`, {
    name: "no sampling",
    scopes: ["tenant-admin"],
  });
  narrowKey = String(narrow.get("key"));
  const sampling = await admin("POST", `/tenants/${slug}/keys`, {
    name: "sampling only",
    scopes: ["sampling"],
  });
  samplingKey = String(sampling.get("key"));
  ({ key: limitedKey } = await createTenant(router, `${slug}-limited`, {
    ...credential,
    policy: { ...policy, limits: { requestsPerMinute: 1 } },
  }));
  session = await openSession(router, key, { capabilities });
  limited = await openSession(router, limitedKey, { capabilities });
  expect((await limited.sample(asking("hello"))).body).toHaveProperty("result");
});
afterAll(async () => {
  await faulty.stop();
});

let tenants = 0;
/**
 * A tenant of this case's own: a credential that fails is remembered, and other cases should not suffer from
 * it.
 */
async function ownTenant(policy = credential.policy): Promise<{ slug: string; key: string }> {
  const own = `${slug}-${(tenants += 1)}`;
  return { slug: own, key: (await createTenant(router, own, { ...credential, policy })).key };
}

const question = { role: "user", content: { type: "text", text: canary } };
/** No provider reads this format, so no model is eligible. */
const picture = {
  type: "image",
  data: btoa("<svg xmlns='http://www.w3.org/2000/svg'/>"),
  mimeType: "image/svg+xml",
};
const unreadable = {
  messages: [question, { role: "user", content: picture }],
  maxTokens: 10,
};
const used = (id: string) => [
  { role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] },
  {
    role: "user",
    content: [{ type: "tool_result", toolUseId: id, content: [{ type: "text", text: canary }] }],
  },
];

/** Params that are refused for every caller. */
const calls: Partial<Record<Reason, { params: object; declared?: object; mode?: "broken" }>> = {
  invalid_params: { params: asking(canary, { temperature: canary }) },
  capability_missing: { params: asking(canary, { tools: [tool] }), declared: { sampling: {} } },
  no_eligible_model: { params: unreadable },
  forbidden: {
    params: { messages: [question, ...used("a"), ...used("b")], maxTokens: 10, tools: [tool] },
  },
  provider_failed: { params: asking(canary), mode: "broken" },
};
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const send = (message: unknown, headers: Record<string, string> = {}) =>
  session.send(typeof message === "string" ? message : JSON.stringify(message), headers);

interface Drive {
  reason: Reason;
  by: string;
  run: () => Promise<Answered>;
  /** what the specification prescribes instead of the table's */
  prescribed?: { code: number; status: number };
  /** a fault of the transport: there is no sampling call yet, so there is no record */
  unrecorded?: true;
  /** no JSON-RPC id can be known */
  anonymous?: true;
  /** the tenant of the last run; absent: the one of all */
  tenant?: () => string;
}

const samplingDrives = Object.entries(calls).flatMap(([name, { params, declared, mode }]) => {
  const reason = name as Reason;
  let tenant = slug;
  const withProvider = async (run: (token: string) => Promise<Answered>): Promise<Answered> => {
    if (mode === undefined) return run(key);
    const own = await ownTenant();
    tenant = own.slug;
    faulty.setMode(mode);
    const answer = await run(own.key);
    faulty.setMode("fine");
    return answer;
  };
  const about = { capabilities: declared ?? capabilities };
  return [
    {
      reason,
      by: "a legacy caller",
      tenant: () => tenant,
      run: () =>
        withProvider(async (token) => (await openSession(router, token, about)).sample(params)),
    },
    {
      reason,
      by: "a modern caller",
      tenant: () => tenant,
      run: () => withProvider((token) => callOnce(router, token, { ...params }, about)),
      ...(reason === "capability_missing" ? { prescribed: { code: -32021, status: 400 } } : {}),
    },
  ] satisfies Drive[];
});

const wireDrives: Drive[] = [
  {
    reason: "rate_limited",
    by: "a legacy caller",
    tenant: () => `${slug}-limited`,
    run: () => limited.sample(asking(canary)),
  },
  {
    reason: "rate_limited",
    by: "a modern caller",
    tenant: () => `${slug}-limited`,
    run: () => callOnce(router, limitedKey, asking(canary)),
  },
  {
    reason: "method_not_found",
    by: "a legacy caller",
    run: () => send({ ...ping, method: "tools/list" }),
    prescribed: { code: -32601, status: 200 },
  },
  {
    reason: "method_not_found",
    by: "a modern caller",
    run: () => callOnce(router, key, {}, { method: "tools/list" }),
    prescribed: { code: -32601, status: 404 },
  },
  {
    reason: "invalid_params",
    by: "a modern caller without _meta",
    run: () => callOnce(router, key, asking(canary), { capabilities: null }),
    prescribed: { code: -32602, status: 400 },
    unrecorded: true,
  },
  {
    reason: "header_mismatch",
    by: "a modern caller",
    run: () => callOnce(router, key, asking(canary), { headers: { "Mcp-Method": "ping" } }),
  },
  {
    reason: "unsupported_protocol_version",
    by: "a caller of another time",
    run: () => send(ping, { "MCP-Protocol-Version": "1999-01-01", "Mcp-Session-Id": "" }),
  },
  { reason: "parse_error", by: "a caller", run: () => send(`{${canary}`), anonymous: true },
  {
    reason: "invalid_request",
    by: "a caller",
    run: () => send({ ...ping, jsonrpc: canary }),
    prescribed: { code: -32600, status: 400 },
  },
  {
    reason: "unauthorized",
    by: "a legacy caller",
    run: () => send(ping, { Authorization: `Bearer ${canary}` }),
    prescribed: { code: -401, status: 401 },
  },
  {
    reason: "unauthorized",
    by: "a modern caller",
    run: () =>
      callOnce(router, canary, asking(canary), { headers: { Authorization: `Bearer ${canary}` } }),
    prescribed: { code: -401, status: 401 },
  },
  {
    reason: "forbidden",
    by: "a key without the scope",
    run: () => callOnce(router, narrowKey, asking(canary)),
  },
  {
    reason: "session_not_found",
    by: "a legacy caller",
    run: () => send(ping, { "Mcp-Session-Id": "ses_00000000000000000000000000" }),
  },
  {
    reason: "session_required",
    by: "a legacy caller",
    run: () => raw("POST", "/v1/sampling", { body: JSON.stringify(ping), key }),
  },
  {
    reason: "not_acceptable",
    by: "a caller",
    run: () => send(ping, { Accept: "text/html" }),
    anonymous: true,
  },
  {
    reason: "unsupported_media_type",
    by: "a caller",
    run: () => send(ping, { "Content-Type": "text/plain" }),
    anonymous: true,
  },
  {
    reason: "payload_too_large",
    by: "a caller",
    run: () => send({ ...ping, params: { filler: canary.repeat(1_100_000) } }),
    anonymous: true,
  },
  {
    reason: "method_not_allowed",
    by: "a caller",
    run: () => raw("GET", "/v1/sampling", { key }),
    anonymous: true,
  },
];

async function raw(
  method: string,
  path: string,
  about: { body?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const response = await fetch(`${router.url}${path}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(about.key === undefined ? {} : { Authorization: `Bearer ${about.key}` }),
      ...about.headers,
    },
    ...(about.body === undefined ? {} : { body: about.body }),
  });
  const text = await response.text();
  const body = JSON.parse(text) as unknown;
  const get = (at: string): unknown =>
    at.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], body);
  return { status: response.status, headers: response.headers, body, text, get };
}

const route = (params: unknown, more: Record<string, string> = {}) =>
  raw("POST", "/v1/route", { body: JSON.stringify(params), key, headers: more });
const problemDrives: Drive[] = [
  {
    reason: "invalid_params",
    by: "/v1/route",
    run: () => route(asking(canary, { temperature: canary })),
  },
  {
    reason: "no_eligible_model",
    by: "/v1/route",
    run: () => route(unreadable),
  },
  {
    reason: "capability_missing",
    by: "/v1/route",
    run: async () => {
      const bare = await openSession(router, key, { capabilities: { sampling: {} } });
      return route(asking(canary, { tools: [tool] }), { "Mcp-Session-Id": bare.sessionId ?? "" });
    },
  },
  {
    reason: "forbidden",
    by: "/v1/route",
    run: () => route({ messages: [question, ...used("a"), ...used("b")], maxTokens: 10 }),
  },
  { reason: "bad_request", by: "/v1/route", run: () => route(canary) },
  {
    reason: "unauthorized",
    by: "/v1/route",
    run: () => raw("POST", "/v1/route", { key: canary, body: "{}" }),
  },
  { reason: "method_not_allowed", by: "/v1/route", run: () => raw("GET", "/v1/route", { key }) },
  { reason: "not_found", by: "no surface", run: () => raw("GET", "/v1/nothing", { key }) },
  {
    reason: "origin_not_allowed",
    by: "the door",
    run: () => raw("GET", "/v1/nothing", { headers: { Origin: "https://evil.example" } }),
  },
  {
    reason: "precondition_failed",
    by: "the admin API",
    run: () =>
      raw("PUT", `/admin/v1/tenants/${slug}/policy`, {
        key: router.adminToken,
        headers: { "If-Match": `"${canary}"` },
        body: "{}",
      }),
  },
  { reason: "unauthorized", by: "the admin API", run: () => raw("GET", "/admin/v1/tenants") },
  {
    reason: "forbidden",
    by: "the admin API",
    run: () => raw("GET", "/admin/v1/tenants", { key: samplingKey }),
  },
  {
    reason: "not_found",
    by: "the admin API",
    run: () => admin("GET", `/tenants/${slug}/requests/req_0`),
  },
  {
    reason: "conflict",
    by: "the admin API",
    run: () => admin("POST", "/tenants", { slug, name: "again" }),
  },
  {
    reason: "invalid_params",
    by: "the admin API",
    run: () => admin("PUT", `/tenants/${slug}/policy`, { maxTokens: canary }),
  },
  {
    reason: "unsupported_media_type",
    by: "the admin API",
    run: () =>
      raw("POST", "/admin/v1/tenants", {
        key: router.adminToken,
        body: "{}",
        headers: { "Content-Type": "text/plain" },
      }),
  },
];

/** Reasons that nobody can provoke here, and why. */
const elsewhere: Partial<Record<Reason, string>> = {
  response_too_large: "needs a stream that is held: test/flow/models-streams.test.ts",
  user_rejected: "needs a person who approves",
  approval_pending: "needs a person who approves",
  stopped: "needs a kill switch: test/flow/switches.test.ts",
  budget_exceeded: "needs a budget that is spent: test/flow/budgets.test.ts",
  idempotency_conflict: "needs an idempotency key that was used: test/flow/idempotency.test.ts",
  unavailable: "needs a database that goes away: test/flow/limits.test.ts",
  input_missing: "needs a registered server: test/flow/bridge-questions.test.ts",
  server_failed: "needs a registered server: test/flow/proxy-failures.test.ts",
  server_timeout: "needs a registered server: test/unit/pipeline/servers/upstream.test.ts",
  loop_detected: "needs a registered server: test/flow/proxy-loops.test.ts",
  authorization_needed: "needs a person: test/contract/own-accounts.test.ts",
  server_unauthorized: "needs a registered server: test/flow/proxy-failures.test.ts",
  unreadable: "needs a row that was changed in the database: test/flow/absurd-numbers.test.ts",
  internal: "nobody knows how; test/flow/bad-input.test.ts checks that it did not happen",
};

const settles = new Set<Reason>([
  "invalid_params",
  "capability_missing",
  "no_eligible_model",
  "rate_limited",
  "provider_failed",
]);

const recordOf = (tenant: string, requestId: unknown): Promise<Answered> =>
  admin("GET", `/tenants/${tenant}/requests/${String(requestId)}`);

describe("on the MCP wire", () => {
  it.each([...samplingDrives, ...wireDrives])("$reason, to $by", async (drive: Drive) => {
    const { reason } = drive;
    const answer = await drive.run();
    const { code, mcpStatus } = refusalTable[reason];
    const expected = drive.prescribed ?? { code, status: mcpStatus };
    expect(answer.body).toMatchObject({
      jsonrpc: "2.0",
      error: { code: expected.code, data: { reason, requestId: expect.stringMatching(/^req_/) } },
    });
    expect(answer.status).toBe(expected.status);
    expect("id" in (answer.body as object)).toBe(drive.anonymous !== true);
    expect(answer.headers.get("x-request-id")).toBe(answer.get("error.data.requestId"));
    expect(answer.text).not.toContain(canary);
    const after = answer.get("error.data.retryAfterMs");
    expect(answer.headers.get("retry-after")).toBe(
      typeof after === "number" ? String(Math.ceil(after / 1_000)) : null,
    );
  });
});

describe("as a problem", () => {
  it.each(problemDrives)("$reason, by $by", async ({ reason, run }) => {
    const answer = await run();
    const { code, status, title } = refusalTable[reason];
    // Codes of our own are the status they mean; the table could be wrong about itself.
    if (code > -32_000) expect(answer.status).toBe(-code);
    expect(answer.body).toMatchObject({
      type: `urn:sampling-router:refusal:${reason}`,
      title,
      status,
      reason,
      requestId: expect.stringMatching(/^req_/),
    });
    expect(String(answer.get("detail")).startsWith(title)).toBe(true);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.get("x-request-id")).toBe(answer.get("requestId"));
    expect(answer.headers.has("www-authenticate")).toBe(status === 401);
    expect(answer.text).not.toContain(canary);
  });
});

describe("in the audit record", () => {
  it.each(
    [...samplingDrives, ...wireDrives].filter(
      (drive: Drive) => settles.has(drive.reason) && drive.unrecorded === undefined,
    ),
  )("$reason, of $by", async (drive: Drive) => {
    const requestId = (await drive.run()).get("error.data.requestId");
    const record = await recordOf(drive.tenant?.() ?? slug, requestId);
    expect(record.body).toMatchObject({
      outcome: drive.reason === "provider_failed" ? "failed" : "refused",
      reason: drive.reason,
      content: null,
    });
    expect(record.text).not.toContain(canary);
  });

  it("provider_timeout, and the caller gets the attempts", async () => {
    const own = await ownTenant();
    faulty.setMode("slow");
    const answer = await callOnce(router, own.key, asking(canary));
    faulty.setMode("fine");
    expect(answer.get("error")).toMatchObject({
      code: -504,
      data: {
        reason: "provider_timeout",
        attempts: [{ provider: "openai", model: "gpt-4.1-mini", status: null, retryable: true }],
      },
    });
    const record = await recordOf(own.slug, answer.get("error.data.requestId"));
    expect(record.body).toMatchObject({ outcome: "failed", reason: "provider_timeout" });
  });

  it("cancelled, of a modern caller that left", async () => {
    const own = await ownTenant({ allowedModels: ["openai/gpt-4.1-mini"] });
    faulty.setMode("slow");
    faulty.clear();
    const leaving = new AbortController();
    const gone = callOnce(router, own.key, asking(canary), {
      headers: { Accept: "application/json, text/event-stream" },
      signal: leaving.signal,
    }).catch(() => null);
    await expect.poll(() => faulty.requests().length).toBe(1);
    leaving.abort();
    await gone;
    faulty.setMode("fine");
    const cancelled = async (): Promise<unknown> =>
      (await admin("GET", `/tenants/${own.slug}/requests?outcome=cancelled`)).get("data.0.reason");
    await expect.poll(cancelled, { timeout: patient(4_000) }).toBe("cancelled");
  });
});

it("leaves no reason of the table out", () => {
  const driven = new Set<Reason>([
    ...[...samplingDrives, ...wireDrives, ...problemDrives].map(({ reason }) => reason),
    "provider_timeout",
    "cancelled",
  ]);
  expect(reasons.filter((reason) => !driven.has(reason)).toSorted()).toEqual(
    Object.keys(elsewhere).toSorted(),
  );
});
