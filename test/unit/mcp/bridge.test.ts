/** What the bridge says on the wire, where no server has to be asked. */
import { describe, expect, it } from "vitest";
import { sentBy } from "../../../src/domain/servers/proxied-headers.ts";
import { bridgedMode, personalHeaders } from "../../../src/domain/servers/bridging.ts";
import { discoveredIn } from "../../../src/mcp/translate/discovery.ts";
import { paramHeadersIn, paramHeadersOf } from "../../../src/mcp/translate/param-headers.ts";
import { legacyRequest } from "../../../src/mcp/translate/to-legacy.ts";
import { translateFromModern, modernRequest } from "../../../src/mcp/translate/to-modern.ts";
import { headerText } from "../../../src/mcp/rev2026/headers.ts";

describe("what a probe tells", () => {
  const error = { error: { code: -32601, message: "no" } };
  const fault = (code: unknown, supported?: unknown) => ({
    error: { code, message: "no", data: { supported, requested: "2026-07-28" } },
  });
  it.each([
    [200, { result: { supportedVersions: ["2026-07-28"] } }, "modern"],
    [200, { result: { supportedVersions: ["2025-06-18", "2030-01-01"] } }, "legacy"],
    [200, { result: { supportedVersions: ["2030-01-01"] } }, "modern"],
    [200, { result: { supportedVersions: [] } }, null],
    [200, { result: { supportedVersions: ["DRAFT-2026-v1"] } }, null],
    [200, error, "legacy"],
    [400, error, "legacy"],
    [404, undefined, "legacy"],
    [405, undefined, "legacy"],
    [200, { result: {} }, null],
    [202, undefined, null],
    [401, error, null],
    [403, undefined, null],
    [429, error, null],
    [503, error, null],
    [400, fault(-32_020), "modern"],
    [400, fault(-32_021), "modern"],
    [400, fault(-32_022), "modern"],
    [200, fault(-32_022), "modern"],
    [503, fault(-32_020), "modern"],
    [400, fault(-32_022, ["2026-07-28"]), "modern"],
    [400, fault(-32_022, ["2030-01-01"]), "modern"],
    [400, fault(-32_022, ["2025-11-25", "2024-11-05"]), "legacy"],
    [400, fault(-32_022, ["2030-01-01", "2025-11-25"]), "legacy"],
    [400, fault(-32_022, "2025-11-25"), "modern"],
    [400, fault(-32_022, []), "modern"],
    [400, fault("-32022"), "legacy"],
  ] as const)("of %i and %j: %s", (status, message, era) => {
    expect(discoveredIn(status, message as never).era).toBe(era);
  });

  it.each([
    [200, { result: { supportedVersions: ["2030-01-01", "x"] } }, ["2030-01-01"]],
    [400, fault(-32_022, ["2031-01-01", "2030-01-01"]), ["2031-01-01", "2030-01-01"]],
    [400, fault(-32_022, ["2030-01-01", "2026-07-28"]), []],
    [400, fault(-32_021), []],
  ] as const)("of %i and %j: newer revisions %j", (status, message, newer) => {
    expect(discoveredIn(status, message as never)).toEqual({ era: "modern", result: null, newer });
  });
});

describe("headers of arguments", () => {
  const schema = (properties: unknown) => ({ tools: [{ name: "t", inputSchema: { properties } }] });
  const one = (type: string, name: unknown = "X") => ({ type, "x-mcp-header": name });

  it("stand on the way down the properties, at values that are plain", () => {
    const found = paramHeadersIn(
      schema({
        a: one("string", "A"),
        b: { properties: { c: one("boolean", "C") } },
        list: { items: one("string", "L") },
        n: one("number"),
        o: one("object"),
        space: one("string", "not a token"),
        line: one("string", "A\r\nB"),
      }),
    );
    expect(found).toEqual({
      t: [
        { name: "A", path: ["a"] },
        { name: "C", path: ["b", "c"] },
      ],
    });
    const its = found["t"] ?? [];
    expect(paramHeadersOf(its, { arguments: { a: "v", b: { c: false } } })).toEqual([
      ["Mcp-Param-A", "v"],
      ["Mcp-Param-C", "false"],
    ]);
    expect(paramHeadersOf(its, { arguments: { a: null, b: [] } })).toEqual([]);
    expect(paramHeadersOf(its, {})).toEqual([]);
  });

  it.each([
    ["plain text", "plain text"],
    ["", "=?base64??="],
    [" led", "=?base64?IGxlZA==?="],
    ["a\r\nb", "=?base64?YQ0KYg==?="],
    ["süd", "=?base64?c8O8ZA==?="],
    ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
  ])("carry %j as %j", (value, text) => expect(headerText(value)).toBe(text));
});

describe("a request for a legacy server", () => {
  const request =
    '{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"n":1.0,"_meta":{"progressToken":5,"x/y":1,"io.modelcontextprotocol/clientInfo":{}},"requestState":"s"}}';

  it("keeps its members, and gets an id that no other request has", () => {
    const { text, translate } = legacyRequest(request, "tools/call", '"r1"');
    expect(text).toBe(
      '{"jsonrpc":"2.0","id":"r1","method":"tools/call","params":{"n":1.0,"_meta":{"progressToken":"r1","x/y":1}}}',
    );
    const of = (message: unknown) => translate(JSON.stringify(message));
    expect(of({ jsonrpc: "2.0", id: "mine", result: {} })).toEqual({ kind: "nothing" });
    expect(of({ jsonrpc: "2.0", id: "r1", error: { code: 1 } })).toEqual({
      kind: "answer",
      text: '{"jsonrpc":"2.0","id":"mine","error":{"code":1}}',
    });
    // An error without an id can be about no other request than that of its own POST.
    expect(of({ jsonrpc: "2.0", error: { code: 1 } })).toMatchObject({ kind: "answer" });
    expect(of({ jsonrpc: "2.0", id: "s1", method: "roots/list" })).toEqual({ kind: "nothing" });
  });
});

describe("what the other revision has another rule for", () => {
  const completion = (count: number, more = {}) => ({
    completion: { values: Array.from({ length: count }, (_, at) => `v${at}`), ...more },
  });
  const newer = (result: unknown, method = "completion/complete") => {
    const { translate } = legacyRequest('{"jsonrpc":"2.0","id":1,"method":"x"}', method, '"r"');
    const answer = translate(JSON.stringify({ jsonrpc: "2.0", id: "r", result }));
    if (answer.kind !== "answer") throw new Error(answer.kind);
    return (JSON.parse(answer.text) as { result: unknown }).result;
  };

  it("a completion of more than a hundred values is cut, and says that there are more", () => {
    expect(newer(completion(101, { total: 101, hasMore: false }))).toEqual({
      resultType: "complete",
      ...completion(100, { total: 101, hasMore: true }),
    });
    expect(newer(completion(100))).toEqual({ resultType: "complete", ...completion(100) });
    expect(newer(completion(101), "tools/call")).toMatchObject(completion(101));
  });

  it("names that 2026-07-28 keeps for itself go no further", () => {
    const _meta = { "io.modelcontextprotocol/serverInfo": 5, "x/y": 1 };
    expect(newer({ _meta }, "tools/call")).toEqual({
      resultType: "complete",
      _meta: { "x/y": 1 },
    });
    const request = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "t",
        task: { ttl: 1 },
        _meta: { "io.modelcontextprotocol/logLevel": "loud", "x/y": 1 },
      },
    };
    const sent = modernRequest(JSON.stringify(request), {
      capabilities: {},
      clientInfo: {},
      logLevel: null,
    });
    const { params } = JSON.parse(sent) as { params: { _meta: object } };
    expect(Object.keys(params).toSorted()).toEqual(["_meta", "name"]);
    expect(Object.keys(params._meta).map((name) => name.split("/")[1])).toEqual([
      "protocolVersion",
      "clientInfo",
      "clientCapabilities",
      "y",
    ]);
    const { text } = legacyRequest(JSON.stringify(request), "tools/call", "1");
    expect(JSON.parse(text)).toMatchObject({ params: { name: "t", _meta: { "x/y": 1 } } });
    expect(text).not.toContain("task");
  });
});

it("gets from a modern server only what a legacy client knows", () => {
  const translate = (message: unknown) =>
    translateFromModern(JSON.stringify({ jsonrpc: "2.0", ...(message as object) }), {
      method: "tools/call",
      tool: "t",
      wrapped: {},
      revision: "2025-11-25",
      denied: null,
    });
  expect(translate({ method: "notifications/resources/updated" })).toEqual({ kind: "nothing" });
  const asks = (inputRequests: unknown) =>
    translate({ id: 1, result: { resultType: "input_required", inputRequests } });
  expect(asks({ a: { method: "elicitation/create" } })).toMatchObject({ kind: "asks" });
  expect(asks(undefined)).toMatchObject({ refusal: { reason: "server_failed" } });
  expect(translate({ id: 1, result: { resultType: "task", taskId: "t" } })).toMatchObject({
    refusal: { reason: "server_failed" },
  });
});

it("tells a legacy client what a modern server misses, and a way out if it can't declare it", () => {
  const missing = (requiredCapabilities: unknown) =>
    translateFromModern(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32021, data: { requiredCapabilities } },
      }),
      { method: "tools/call", tool: "t", wrapped: {}, revision: "2025-11-25", denied: null },
    );
  for (const required of [
    { sampling: {} },
    { roots: {} },
    { extensions: { "io.modelcontextprotocol/tasks": {} } },
  ])
    expect(missing(required)).toMatchObject({
      refusal: {
        reason: "capability_missing",
        requiredCapabilities: required,
        detail: expect.stringContaining("use a client of 2026-07-28") as string,
      },
    });
  expect(missing({ elicitation: {} })).toEqual({
    kind: "refused",
    refusal: { reason: "capability_missing", requiredCapabilities: { elicitation: {} } },
  });
  expect(missing("odd")).toMatchObject({ kind: "answer" });
});

it("asks no client across eras", () => {
  expect((["router", "client", "client-then-router", "deny"] as const).map(bridgedMode)).toEqual([
    "router",
    "deny",
    "router",
    "deny",
  ]);
});

it("tells clients apart by whatever isn't known to be harmless", () => {
  const headers = new Headers({
    "X-Api-Key": "k",
    "X-Workspace": "w",
    "User-Agent": "u",
    "Mcp-Param-A": "1",
    Cookie: "c",
  });
  expect(personalHeaders(headers, sentBy(["X-Api-Key", "X-Workspace", "User-Agent"]))).toEqual([
    ["x-api-key", "k"],
    ["x-workspace", "w"],
  ]);
  // A header that is not sent to the server can't tell its clients apart.
  expect(personalHeaders(headers, sentBy(["X-Workspace"]))).toEqual([["x-workspace", "w"]]);
  expect(personalHeaders(headers, sentBy([]))).toEqual([]);
});
