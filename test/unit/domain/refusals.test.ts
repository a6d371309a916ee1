/** The one table of refusals, and every reason on every surface that reads the table. */
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { summaryOf, type Attempt } from "../../../src/domain/attempts.ts";
import { detailOf } from "../../../src/domain/audit/record.ts";
import type { ExclusionReason } from "../../../src/domain/requirements.ts";
import { explain } from "../../../src/domain/refusal-messages.ts";
import {
  dataOf,
  reasons,
  refusalTable,
  retryAfterOf,
  type Reason,
  type Refusal,
} from "../../../src/domain/refusals.ts";
import { record } from "../../../src/http/admin/record-schemas.ts";
import { problemBody } from "../../../src/http/admin/schemas.ts";
import type { HttpEnv } from "../../../src/http/context.ts";
import { problem } from "../../../src/http/problem.ts";
import { refusalReply } from "../../../src/mcp/reply.ts";
import { limitHeaders } from "../../../src/mcp/refusal-headers.ts";
import { legacyWireOf, modernWireOf } from "../../../src/mcp/faults.ts";
import { errorMessage } from "../../../src/mcp/jsonrpc.ts";
import { openApiDocument, withOwnResponses } from "../../fakes/openapi-document.ts";

const attempts = [{ provider: "openai", model: "gpt-5", status: 503, retryable: true }];

/** One refusal of each reason; the compiler sees that none is missing. */
const samples: { readonly [R in Reason]: Extract<Refusal, { reason: R }> } = {
  user_rejected: { reason: "user_rejected", by: "policy" },
  approval_pending: {
    reason: "approval_pending",
    retryAfterMs: 1_500,
    idempotencyKey: "req_1",
  },
  invalid_params: { reason: "invalid_params", path: "maxTokens", detail: "Required." },
  capability_missing: {
    reason: "capability_missing",
    requiredCapabilities: { sampling: { tools: {} } },
  },
  no_eligible_model: {
    reason: "no_eligible_model",
    cause: "all_excluded",
    requirements: {
      inputModalities: ["text"],
      outputModalities: ["audio"],
      tools: false,
      inputTokens: 10,
      maxTokens: 20,
    },
    candidates: [{ model: "openai/gpt-5", excludedBy: "output_modality" }],
  },
  rate_limited: {
    reason: "rate_limited",
    limit: "tenant.requestsPerMinute",
    retryAfterMs: 2_400,
  },
  budget_exceeded: {
    reason: "budget_exceeded",
    limit: "tenant.usdPerDay",
    retryAfterMs: 60_000,
    limitUsd: 5,
    usedUsd: 4.98,
    neededUsd: 0.05,
  },
  forbidden: { reason: "forbidden", action: "more than 25 tool rounds" },
  stopped: { reason: "stopped", kind: "key", name: "key_1", explanation: "it leaked" },
  response_too_large: { reason: "response_too_large", maxCharacters: 1_000 },
  provider_failed: { reason: "provider_failed", attempts },
  provider_timeout: { reason: "provider_timeout", attempts },
  authorization_needed: {
    reason: "authorization_needed",
    server: "notes",
    url: "https://router.test/oauth/connect?tenant=acme&server=notes",
  },
  server_unauthorized: { reason: "server_unauthorized", detail: "It answered 401." },
  unavailable: { reason: "unavailable", retryAfterMs: 1_000 },
  cancelled: { reason: "cancelled" },
  input_missing: { reason: "input_missing", detail: "The client didn't answer." },
  idempotency_conflict: { reason: "idempotency_conflict" },
  internal: { reason: "internal" },
  unreadable: { reason: "unreadable", what: "request req_1" },
  server_failed: { reason: "server_failed", serverStatus: null, detail: "It can't be reached." },
  server_timeout: {
    reason: "server_timeout",
    detail: "mcp.example:443: the request timed out.",
  },
  loop_detected: { reason: "loop_detected", detail: "It leads back to this router." },
  parse_error: { reason: "parse_error" },
  invalid_request: { reason: "invalid_request", detail: "A message is an object." },
  method_not_found: { reason: "method_not_found", method: "tools/list" },
  header_mismatch: { reason: "header_mismatch", header: "Mcp-Method", missing: true },
  unsupported_protocol_version: {
    reason: "unsupported_protocol_version",
    supported: ["2026-07-28"],
    requested: "1999-01-01",
  },
  bad_request: { reason: "bad_request", detail: "The body is JSON in UTF-8." },
  unauthorized: { reason: "unauthorized", detail: "Unknown API key." },
  not_found: { reason: "not_found", what: "no such path" },
  session_not_found: { reason: "session_not_found" },
  session_required: { reason: "session_required" },
  origin_not_allowed: { reason: "origin_not_allowed" },
  method_not_allowed: { reason: "method_not_allowed", allow: "POST" },
  not_acceptable: { reason: "not_acceptable", accept: "application/json" },
  conflict: { reason: "conflict", detail: "The slug is taken." },
  precondition_failed: { reason: "precondition_failed" },
  payload_too_large: { reason: "payload_too_large", limitBytes: 1_024 },
  unsupported_media_type: { reason: "unsupported_media_type", expected: "application/json" },
};

/** The contract's table, row by row: reason, code, what `data` holds beside reason and requestId. */
const contract = {
  user_rejected: [-1, ["by"]],
  approval_pending: [-202, ["retryAfterMs", "idempotencyKey"]],
  invalid_params: [-32602, ["path"]],
  capability_missing: [-32602, ["requiredCapabilities"]],
  no_eligible_model: [-422, ["cause", "requirements", "candidates"]],
  rate_limited: [-429, ["limit", "retryAfterMs"]],
  budget_exceeded: [-402, ["limit", "retryAfterMs", "limitUsd", "usedUsd", "neededUsd"]],
  forbidden: [-403, ["action"]],
  provider_failed: [-502, ["attempts"]],
  provider_timeout: [-504, ["attempts"]],
  unavailable: [-503, ["retryAfterMs"]],
  cancelled: [-499, []],
  idempotency_conflict: [-409, []],
  internal: [-32603, []],
} as const satisfies Partial<Record<Reason, readonly [number, readonly string[]]>>;

/** Reasons that the contract has no row for: the protocol's own, and those of the transport. */
const beyond = {
  stopped: [-403, 403, ["kind", "name", "explanation"]],
  input_missing: [-32603, 422, []],
  server_failed: [-502, 502, ["serverStatus"]],
  server_timeout: [-504, 504, []],
  loop_detected: [-508, 508, []],
  response_too_large: [-502, 502, ["maxCharacters"]],
  unreadable: [-500, 500, ["what"]],
  parse_error: [-32700, 400, []],
  invalid_request: [-32600, 400, []],
  method_not_found: [-32601, 404, ["method"]],
  header_mismatch: [-32020, 400, ["header", "missing"]],
  unsupported_protocol_version: [-32022, 400, ["supported", "requested"]],
  bad_request: [-32600, 400, []],
  unauthorized: [-401, 401, []],
  server_unauthorized: [-502, 502, []],
  authorization_needed: [-403, 403, ["server", "url"]],
  not_found: [-404, 404, ["what"]],
  session_not_found: [-404, 404, []],
  session_required: [-32600, 400, []],
  origin_not_allowed: [-403, 403, []],
  method_not_allowed: [-405, 405, ["allow"]],
  not_acceptable: [-406, 406, ["accept"]],
  conflict: [-409, 409, []],
  precondition_failed: [-412, 412, []],
  payload_too_large: [-413, 413, ["limitBytes"]],
  unsupported_media_type: [-415, 415, ["expected"]],
} as const satisfies Record<
  Exclude<Reason, keyof typeof contract>,
  readonly [number, number, readonly string[]]
>;

const dataKeysOf = (reason: Reason): readonly string[] => {
  if (reason in contract) return contract[reason as keyof typeof contract][1];
  return beyond[reason as keyof typeof beyond][2];
};

const requestId = "req_0";
const app = new Hono<HttpEnv>().get("/:reason", (c) => {
  c.set("requestId", requestId);
  return problem(c, samples[c.req.param("reason") as Reason]);
});
const problemOf = async (reason: Reason) => {
  const response = await app.request(`/${reason}`);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};

describe("the contract's table", () => {
  it.each(Object.entries(contract))("has %s as it is", (reason, [code]) => {
    expect(refusalTable[reason as Reason].code).toBe(code);
    // What a sampling caller must understand: SDK clients drop the body of anything else.
    expect(refusalTable[reason as Reason].mcpStatus).toBe(200);
  });

  it.each(Object.entries(beyond))(
    "leaves %s to the protocol and HTTP",
    (reason, [code, status]) => {
      expect(refusalTable[reason as Reason]).toMatchObject({ code, status });
    },
  );

  it("has the HTTP status of REST where the code does not tell it", () => {
    const told = (reason: Reason): number => refusalTable[reason].status;
    expect([told("user_rejected"), told("invalid_params")]).toEqual([403, 400]);
    expect([told("capability_missing"), told("internal")]).toEqual([400, 500]);
  });

  it("has one code for one meaning", () => {
    const own = Object.values(contract)
      .map(([code]) => code)
      .filter((code) => code > -32_000);
    expect(new Set(own).size).toBe(own.length);
  });
});

describe.each(reasons)("%s", (reason) => {
  const refusal: Refusal = samples[reason];
  const meaning = refusalTable[reason];

  it("has a code of the specification, or the negative of its HTTP status", () => {
    const { code } = meaning;
    const specified = [-32_700, -32_600, -32_601, -32_602, -32_603, -32_020, -32_021, -32_022];
    if (reason === "user_rejected") expect(code).toBe(-1);
    else if (code <= -32_000) expect(specified).toContain(code);
    else expect(code).toBe(-meaning.status);
  });

  it("is a JSON-RPC error of the legacy revisions", () => {
    const { code, status } = legacyWireOf(refusal);
    expect([code, status]).toEqual([meaning.code, meaning.mcpStatus]);
    expect(errorMessage(7, refusal, code, requestId)).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code, message: explain(refusal), data: { ...dataOf(refusal), requestId } },
    });
  });

  it("is a JSON-RPC error of the modern revision, with the code and status that it prescribes", () => {
    const prescribed: Partial<Record<Reason, [number, number]>> = {
      capability_missing: [-32021, 400],
      method_not_found: [-32601, 404],
      header_mismatch: [-32020, 400],
      unsupported_protocol_version: [-32022, 400],
    };
    const { code, status } = modernWireOf(refusal);
    expect([code, status]).toEqual(prescribed[reason] ?? [meaning.code, meaning.mcpStatus]);
  });

  it("has in its data what the contract lists, and nothing else", () => {
    const { data } = errorMessage(7, refusal, meaning.code, requestId)["error"] as {
      data: Record<string, unknown>;
    };
    expect(Object.keys(data).toSorted()).toEqual(
      ["reason", "requestId", "retryable", ...dataKeysOf(reason)].toSorted(),
    );
    expect(data["reason"]).toBe(reason);
  });

  it("never answers 200 where the answer can't be matched to a request", () => {
    const reply = refusalReply(null, refusal, requestId);
    expect(reply).toMatchObject({ kind: "message", status: meaning.status });
    expect("message" in reply && "id" in reply.message).toBe(false);
  });

  it("is a problem, RFC 9457", async () => {
    const { status, headers, body } = await problemOf(reason);
    expect(status).toBe(meaning.status);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(headers.get("x-request-id")).toBe(requestId);
    expect(problemBody.safeParse(body).error).toBeUndefined();
    expect(body).toEqual({
      type: `urn:sampling-router:refusal:${reason}`,
      title: meaning.title,
      status: meaning.status,
      detail: explain(refusal),
      ...JSON.parse(JSON.stringify(dataOf(refusal))),
      requestId,
    });
  });

  it("says when to come back, in the header too", async () => {
    const after = retryAfterOf(refusal);
    const expected = after === null ? null : String(Math.ceil(after / 1_000));
    expect((await problemOf(reason)).headers.get("retry-after")).toBe(expected);
    const reply = refusalReply(7, refusal, requestId);
    expect("headers" in reply ? (reply.headers["Retry-After"] ?? null) : null).toBe(expected);
  });

  it("is one sentence that begins with its title", () => {
    expect(explain(refusal).startsWith(meaning.title)).toBe(true);
    expect(explain(refusal)).not.toMatch(/[\n\r]|undefined|\[object/);
  });

  it("is a value of the audit record's column, and of a problem's member", () => {
    expect(record.shape.reason.safeParse(reason).success).toBe(true);
    expect(problemBody.shape.reason.safeParse(reason).success).toBe(true);
  });
});

describe("a database that is full", () => {
  const full: Refusal = { reason: "unavailable", retryAfterMs: 60_000, cause: "full" };

  it("says so, and what makes room; a database out of reach says neither", () => {
    expect(explain(full)).toContain("the tenant's database is full");
    expect(explain(full)).toContain("retentionDays");
    expect(dataOf(full)).toEqual({ ...full, retryable: true });
    expect(explain(samples.unavailable)).toBe("Temporarily unavailable");
  });
});

describe("a refusal of a call whose providers failed", () => {
  const attempt = { provider: "house", model: "large", status: 503, retryable: true };
  it.each([
    [
      { status: null },
      "house can't be reached at the credential's address, or closed the connection",
    ],
    [{ status: 401 }, "house rejects the credential's key (HTTP 401)"],
    [{ status: 429 }, "house is rate limiting (HTTP 429)"],
    [
      { status: 429, code: "no_credit" as const },
      "house/large: the account has no credit left: add credit, or use another account's credential (HTTP 429)",
    ],
    [{ status: 503 }, "house/large returned HTTP 503"],
    [{ status: 200, fault: "empty" as const }, "house/large returned no text"],
    [{ status: 200, fault: "malformed" as const }, "house/large returned an unusable answer"],
  ])("says what went wrong at the last of them: %j", (differing, words) => {
    const last = { ...attempt, ...differing };
    expect(explain({ reason: "provider_failed", attempts: [last] })).toBe(
      `Provider failed: ${words}`,
    );
    expect(explain({ reason: "provider_failed", attempts: [attempt, last] })).toBe(
      `Provider failed: ${words} (the last of 2 attempts)`,
    );
  });
});

describe("a refusal that no model has room for", () => {
  it("names both things that need room", () => {
    const candidates = [{ model: "openai/gpt-5", excludedBy: "context_window" as const }];
    expect(explain({ ...samples.no_eligible_model, candidates })).toContain(
      "the context window is too small for messages and maxTokens",
    );
  });
});

describe("a refusal of a call whose provider says when", () => {
  it("says it too, in its data and in Retry-After; another says nothing", () => {
    const waiting: Refusal = { reason: "provider_failed", attempts, retryAfterMs: 6_500 };
    expect(dataOf(waiting)).toMatchObject({ retryAfterMs: 6_500 });
    expect(limitHeaders([], waiting)["Retry-After"]).toBe("7");
    expect(retryAfterOf({ reason: "provider_failed", attempts })).toBeNull();
  });
});

describe("a refusal that the same request can't mend", () => {
  const retryable = (refusal: Refusal): unknown => dataOf(refusal)["retryable"];
  const attempted = (status: number | null): Attempt => ({
    provider: "p",
    model: "m",
    credentialId: "cred_1",
    status,
    // Another candidate may do better.
    retryable: true,
    fault: status === 200 ? "empty" : "server",
    billed: "no",
    latencyMs: 1,
    retryAfterMs: null,
  });
  const failed = (...statuses: (number | null)[]): Refusal => ({
    reason: "provider_failed",
    attempts: statuses.map((status) => summaryOf(attempted(status))),
  });
  const attemptsOf = (refusal: Refusal): unknown[] =>
    (dataOf(refusal)["attempts"] as { retryable: unknown }[]).map((one) => one.retryable);

  it("is not retryable, and one that passes by itself is", () => {
    const lasting = reasons.filter((reason) => retryable(samples[reason]) === false);
    expect(lasting).toEqual(
      expect.arrayContaining(["invalid_params", "no_eligible_model", "forbidden", "unauthorized"]),
    );
    for (const reason of ["rate_limited", "budget_exceeded", "unavailable", "provider_timeout"])
      expect(retryable(samples[reason as Reason])).toBe(true);
  });

  it("leaves out a request that is larger than its limit, and one for which a total has too little left", () => {
    for (const reason of ["rate_limited", "budget_exceeded"] as const)
      for (const usedUp of [{}, { usedUp: true }] as const)
        expect(retryable({ ...samples[reason], retryAfterMs: null, ...usedUp })).toBe(false);
  });

  it.each([302, 400, 401, 402, 403, 404, 410, 413, 422])("is a provider's %i", (status) => {
    expect(retryable(failed(status))).toBe(false);
    // Another provider may be in order again when the call is repeated.
    expect(retryable(failed(503, status))).toBe(true);
    expect(attemptsOf(failed(503, status))).toEqual([true, false]);
  });

  it("is a stored key that can't be opened", () => {
    const refusal: Refusal = {
      reason: "provider_failed",
      attempts: [summaryOf({ ...attempted(null), fault: "unopenable" })],
    };
    expect([retryable(refusal), attemptsOf(refusal)]).toEqual([false, [false]]);
  });

  it("is a request for which a provider's wire has no place, and the words say that nothing was sent", () => {
    const refusal: Refusal = {
      reason: "provider_failed",
      attempts: [summaryOf({ ...attempted(null), fault: "invalid_request" })],
    };
    expect([retryable(refusal), attemptsOf(refusal)]).toEqual([false, [false]]);
    expect(explain(refusal)).toContain("nothing was sent to p/m");
  });

  it.each([null, 200, 408, 409, 425, 429, 500, 503, 529])("is no provider's %s", (status) => {
    expect(retryable(failed(status))).toBe(true);
  });

  it("does not include an open circuit, which closes by itself", () => {
    const candidates = [{ model: "openai/gpt-5", excludedBy: "circuit_open" as const }];
    expect(retryable({ ...samples.no_eligible_model, candidates })).toBe(true);
  });
});

describe("the words of a refusal", () => {
  it("name the server that gave no answer, and not in the data", () => {
    expect(explain(samples.server_timeout)).toBe(
      "The MCP server timed out: mcp.example:443: the request timed out.",
    );
    expect(dataOf(samples.server_timeout)).toEqual({ reason: "server_timeout", retryable: true });
  });

  it("name the identity provider that gave no answer", () => {
    const silent: Refusal = {
      reason: "unavailable",
      retryAfterMs: 1_000,
      cause: "identity_provider",
      detail: "the identity provider can't be reached: idp.example:443: the connection was refused",
    };
    expect(explain(silent)).toBe(
      "Temporarily unavailable: the identity provider can't be reached: idp.example:443: the connection was refused",
    );
  });

  it("name the models that rest, and so does the record", () => {
    const models = ["openai/gpt-5", "google/gemini-flash"];
    const resting: Refusal = {
      reason: "unavailable",
      retryAfterMs: 7_000,
      cause: "resting",
      models,
    };
    expect(explain(resting)).toBe(
      "Temporarily unavailable: openai/gpt-5, google/gemini-flash failed recently or asked to wait; try again in 7 s",
    );
    expect(detailOf(resting)).toBe('{"circuit_open":["openai/gpt-5","google/gemini-flash"]}');
    expect(detailOf(samples.unavailable)).toBeNull();
  });

  it("say amounts where money is missing", () => {
    expect(explain(samples.budget_exceeded)).toBe(
      "Budget exceeded: tenant.usdPerDay is 5 USD, with 4.98 USD used or reserved; this request needs at least 0.05 USD; try again in 60 s",
    );
    expect(explain({ ...samples.budget_exceeded, retryAfterMs: null })).toContain(
      "tenant.usdPerDay of 5 USD is less than this request needs (at least 0.05 USD): lower maxTokens",
    );
  });

  it.each([
    [1, "1 s"],
    [119_001, "2 min"],
    [36_210_471, "10 h 4 min"],
    [36_000_000, "10 h"],
    [727_364_177, "9 days"],
  ])("say in how long there is room: %s ms", (retryAfterMs, words) => {
    expect(
      explain({ ...samples.rate_limited, retryAfterMs }).endsWith(`try again in ${words}`),
    ).toBe(true);
  });

  it("say which of three causes leaves a request without a model", () => {
    const said = (cause: "no_credential" | "no_known_model" | "all_excluded"): string =>
      explain({ ...samples.no_eligible_model, cause });
    expect(said("no_credential")).toContain("has no provider credential");
    expect(said("no_known_model")).toContain("declare `models`");
    expect(said("all_excluded")).toContain(
      "all models are excluded: 1 by output_modality (does not produce the requested output)",
    );
  });

  it("leave out the models that the caller did not name", () => {
    const of = (...given: ExclusionReason[]): string =>
      explain({
        ...samples.no_eligible_model,
        cause: "all_excluded",
        requirements: { ...samples.no_eligible_model.requirements, model: "gpt-9\u202E" },
        candidates: given.map((excludedBy) => ({ model: "openai/a", excludedBy })),
      });
    expect(of("not_named", "tools")).toContain("all models are excluded: 1 by tools");
    expect(of("not_named", "not_named")).toMatch(
      /the tenant has no model named "gpt-9\\u\{202e\}"$/,
    );
  });

  it("name the way in without a session", () => {
    expect(explain({ reason: "session_required" })).toContain("MCP-Protocol-Version: 2026-07-28");
  });
});

describe("the audit record's column and a problem's member", () => {
  it("know no other reason", () => {
    for (const shape of [record.shape.reason, problemBody.shape.reason])
      expect(shape.safeParse("because").success).toBe(false);
  });
});

describe("a limit that waiting does not help", () => {
  it.each(["rate_limited", "budget_exceeded"] as const)("has no time to retry: %s", (reason) => {
    const refusal: Refusal = { ...samples[reason], retryAfterMs: null };
    expect(explain(refusal)).toMatch(/(smaller|less) than this request/);
    const reply = refusalReply(7, refusal, requestId);
    expect("headers" in reply && reply.headers).not.toHaveProperty("Retry-After");
  });
});

describe("the OpenAPI document", () => {
  const operations = async () => {
    const { paths } = withOwnResponses(
      (await openApiDocument()) as {
        paths: Record<
          string,
          Record<string, { responses: Record<string, { description: string; content?: object }> }>
        >;
        components: object;
      },
    );
    return Object.entries(paths).flatMap(([path, item]) =>
      path.startsWith("/admin/v1") ? Object.values(item) : [],
    );
  };
  /** Refusals that any admin endpoint can answer. */
  const anywhere: Reason[] = [
    "invalid_params",
    "bad_request",
    "unauthorized",
    "forbidden",
    "origin_not_allowed",
    "not_found",
    "method_not_allowed",
    "conflict",
    "payload_too_large",
    "unsupported_media_type",
    "internal",
    "unavailable",
  ];

  it.each(anywhere)("describes %s by the table's status and title", async (reason) => {
    const { status, title } = refusalTable[reason];
    const all = await operations();
    expect(all.length).toBeGreaterThan(20);
    for (const { responses } of all) {
      expect(responses[status]?.description).toContain(title);
      expect(Object.keys(responses[status]?.content ?? {})).toEqual(["application/problem+json"]);
    }
  });

  it.each([
    ["post", "/v1/sampling", [400, 401, 403, 404, 406, 413, 415, 429, 500, 503]],
    ["post", "/v1/sampling/{tenant}", [400, 401, 403, 404, 406, 413, 415, 429, 500, 503]],
    ["delete", "/v1/sampling", [400, 401, 403, 404, 500, 503]],
    ["post", "/v1/route", [400, 401, 403, 404, 413, 422, 500, 503]],
  ])("describes every status that %s %s refuses with", async (method, path, statuses) => {
    const { paths } = (await openApiDocument()) as {
      paths: Record<string, Record<string, { responses: Record<string, object> }>>;
    };
    const described = Object.keys(paths[path]?.[method]?.responses ?? {}).map(Number);
    expect(described.filter((status) => status >= 400)).toEqual(statuses);
  });

  it("names every reason that a problem may have", async () => {
    expect(await openApiDocument()).toMatchObject({
      components: { schemas: { Problem: { properties: { reason: { enum: reasons } } } } },
    });
  });
});
