/** Bad input: each case is a clear, typed refusal, and never a 500. */
import { beforeAll, describe, expect, it } from "vitest";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";
import {
  adminOf,
  asking,
  callOnce,
  createTenant,
  openSession,
  type Answered,
} from "../fakes/caller.ts";

let router: SharedRouter;
let key: string;

beforeAll(async () => {
  router = await borrowRouter();
  ({ key } = await createTenant(router, "bad-input", { provider: "demo" }));
});

const post = async (body: BodyInit, headers: Record<string, string> = {}): Promise<Answered> => {
  const session = await openSession(router, key);
  return session.send(body, headers);
};

const refused = (answer: Answered, reason: string, code: number, status = 200): void => {
  expect(answer.body).toMatchObject({
    jsonrpc: "2.0",
    error: { code, data: { reason, requestId: expect.stringMatching(/^req_/) } },
  });
  expect(answer.status).toBe(status);
};

const sample = async (
  params: unknown,
  about: { revision?: string; capabilities?: unknown } = {},
): Promise<Answered> => (await openSession(router, key, about)).sample(params);

describe("the envelope", () => {
  it("refuses what is not JSON", async () => {
    refused(await post("{nope"), "parse_error", -32700, 400);
  });

  // cites: J-015
  it("refuses UTF-16", async () => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const utf16 = new Uint8Array(2 + text.length * 2);
    utf16.set([0xff, 0xfe]);
    for (const [at, character] of [...text].entries()) utf16[2 + at * 2] = character.charCodeAt(0);
    refused(await post(utf16), "parse_error", -32700, 400);
  });

  it("refuses an empty body", async () => {
    refused(await post(""), "parse_error", -32700, 400);
  });

  // cites: J-001, J-002, J-003
  it.each([
    ["no jsonrpc", { id: 1, method: "ping" }],
    ["another jsonrpc", { jsonrpc: "1.0", id: 1, method: "ping" }],
    ["a null id", { jsonrpc: "2.0", id: null, method: "ping" }],
    ["a fractional id", { jsonrpc: "2.0", id: 1.5, method: "ping" }],
    ["params that are an array", { jsonrpc: "2.0", id: 1, method: "ping", params: [] }],
    ["a method that is a number", { jsonrpc: "2.0", id: 1, method: 7 }],
    ["neither method nor result", { jsonrpc: "2.0", id: 1 }],
    ["a string", "ping"],
  ])("refuses %s", async (_, message) => {
    refused(await post(JSON.stringify(message)), "invalid_request", -32600, 400);
  });

  it("refuses nesting that would overflow recursive code", async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${deep}}`;
    refused(await post(body), "invalid_request", -32600, 400);
  });

  // cites: J-010, H-006
  it("refuses a batch, except on the one revision that has them", async () => {
    const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
    const batch = JSON.stringify([ping(1), ping(2)]);
    refused(await post(batch), "invalid_request", -32600, 400);
    const session = await openSession(router, key, { revision: "2025-03-26" });
    const answers = await session.send(batch);
    expect(answers.body).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, result: {} },
    ]);
  });

  it("refuses an unknown method", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    refused(await post(JSON.stringify(message)), "method_not_found", -32601);
  });

  it("refuses another content type, charset or coding, and an Accept that nothing satisfies", async () => {
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const type = await post(ping, { "Content-Type": "text/plain" });
    refused(type, "unsupported_media_type", -415, 415);
    for (const coded of [
      { "Content-Encoding": "gzip" },
      { "Content-Type": "application/json; charset=utf-16" },
    ])
      refused(await post(ping, coded), "unsupported_media_type", -415, 415);
    const plain = { "Content-Type": "application/json; charset=UTF-8" };
    expect((await post(ping, plain)).status).toBe(200);
    refused(await post(ping, { Accept: "text/html" }), "not_acceptable", -406, 406);
  });

  // cites: H-005
  it("refuses GET, and says what it takes", async () => {
    const answer = await fetch(`${router.url}/v1/sampling`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST, DELETE");
  });

  // cites: H-001, H-002
  it("refuses an origin that nobody allowed", async () => {
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect((await post(ping, { Origin: "https://evil.example" })).status).toBe(403);
  });

  it("refuses 20 MB of image", async () => {
    const image = { type: "image", mimeType: "image/png", data: "A".repeat(20 * 1024 * 1024) };
    const answer = await sample({ messages: [{ role: "user", content: image }], maxTokens: 10 });
    refused(answer, "payload_too_large", -413, 413);
  });
});

describe("the params", () => {
  // cites: S-006, S-007, S-031, S-053
  it.each([
    ["missing maxTokens", { ...asking("x"), maxTokens: undefined }, "maxTokens"],
    ["maxTokens of -1", asking("x", { maxTokens: -1 }), "maxTokens"],
    ["maxTokens of 0", asking("x", { maxTokens: 0 }), "maxTokens"],
    ["maxTokens of 1.5", asking("x", { maxTokens: 1.5 }), "maxTokens"],
    ["maxTokens as text", asking("x", { maxTokens: "10" }), "maxTokens"],
    ["no messages", { maxTokens: 10 }, "messages"],
    ["an empty list of messages", { messages: [], maxTokens: 10 }, "messages"],
    [
      "a priority of 2",
      asking("x", { modelPreferences: { costPriority: 2 } }),
      "modelPreferences.costPriority",
    ],
    [
      "an unknown block",
      { messages: [{ role: "user", content: { type: "video", data: "" } }], maxTokens: 10 },
      "messages.0.content.0.type",
    ],
    [
      "a role of nobody's",
      { messages: [{ role: "system", content: { type: "text", text: "x" } }], maxTokens: 10 },
      "messages.0.role",
    ],
    [
      "an image that is not base64",
      {
        messages: [
          { role: "user", content: { type: "image", mimeType: "image/png", data: "!!!!" } },
        ],
        maxTokens: 10,
      },
      "messages.0.content.0.data",
    ],
    [
      "an unknown output modality",
      asking("x", { metadata: { "sampling-router/outputModalities": ["smell"] } }),
      "metadata.sampling-router/outputModalities.0",
    ],
  ])("refuses %s, and names the place", async (_, params, path) => {
    const answer = await sample(params);
    refused(answer, "invalid_params", -32602);
    expect(answer.get("error.data.path")).toBe(path);
  });

  // cites: S-010
  it("refuses an array of blocks before 2025-11-25", async () => {
    const content = [{ type: "text", text: "x" }];
    const params = { messages: [{ role: "user", content }], maxTokens: 10 };
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18"])
      refused(await sample(params, { revision }), "invalid_params", -32602);
    expect((await sample(params)).get("result.model")).toMatch(/^demo\//);
  });

  // cites: S-008, S-009
  it("refuses audio in 2024-11-05", async () => {
    const content = { type: "audio", mimeType: "audio/wav", data: "AAAA" };
    const params = { messages: [{ role: "user", content }], maxTokens: 10 };
    refused(await sample(params, { revision: "2024-11-05" }), "invalid_params", -32602);
    expect((await sample(params, { revision: "2025-03-26" })).body).toHaveProperty("result");
  });

  it("refuses a tool result without its use", async () => {
    const result = { type: "tool_result", toolUseId: "t1", content: [{ type: "text", text: "x" }] };
    const capabilities = { sampling: { tools: {} } };
    const messages = [{ role: "user", content: [result] }];
    refused(await sample({ messages, maxTokens: 10 }, { capabilities }), "invalid_params", -32602);
  });

  // cites: S-003, S-004
  it("refuses tools where they were not declared, and names exactly that", async () => {
    const tools = [{ name: "look", inputSchema: { type: "object" } }];
    const answer = await sample(asking("x", { tools }));
    refused(answer, "capability_missing", -32602);
    expect(answer.get("error.data.requiredCapabilities")).toEqual({
      sampling: { tools: {} },
    });
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18"])(
    "says that the revision %s is too old for tools that its client declares",
    async (revision) => {
      const tools = [{ name: "look", inputSchema: { type: "object" } }];
      const capabilities = { sampling: { tools: {} } };
      const answer = await sample(asking("x", { tools }), { capabilities, revision });
      refused(answer, "capability_missing", -32602);
      expect(answer.get("error.message")).toBe(
        `Required client capability unavailable: {"sampling":{"tools":{}}}; declared, but not supported in revision ${revision}: use 2025-11-25 or later`,
      );
    },
  );

  // cites: S-001
  it("refuses sampling where it was not declared", async () => {
    const answer = await sample(asking("x"), { capabilities: {} });
    refused(answer, "capability_missing", -32602);
    expect(answer.get("error.message")).toBe(
      'Required client capability unavailable: {"sampling":{}}; declare it in the capabilities of initialize, or in _meta "io.modelcontextprotocol/clientCapabilities" of the request',
    );
  });

  // cites: M-003
  it("refuses an undeclared output modality before any provider is called", async () => {
    const metadata = { "sampling-router/outputModalities": ["image"] };
    const answer = await sample(asking("x", { metadata }));
    refused(answer, "capability_missing", -32602);
    expect(answer.get("error.data.requiredCapabilities")).toEqual({
      sampling: { supportedModalities: ["image"] },
    });
  });

  it("says why no model is eligible", async () => {
    const content = { type: "image", data: "SUkqAAgAAAA=", mimeType: "image/tiff" };
    const answer = await sample(asking("x", { messages: [{ role: "user", content }] }));
    refused(answer, "no_eligible_model", -422);
    expect(answer.get("error.data")).toMatchObject({
      requirements: { inputModalities: ["text", "image"] },
      candidates: expect.arrayContaining([
        {
          model: "demo/demo-small",
          excludedBy: expect.stringMatching(/^(input_modality|image_format)$/),
        },
      ]),
    });
  });

  it("survives keys that reach for the prototype", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{
      "__proto__":{"maxTokens":1},"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}}`;
    refused(await post(body), "invalid_params", -32602);
  });
});

describe("the caller", () => {
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

  it("that shows the operator's token, or another text, is told what a key looks like", async () => {
    for (const text of [router.adminToken, "sk-a-providers-key"]) {
      const answer = await callOnce(router, text, asking("x"));
      expect([answer.status, answer.text]).toEqual([
        401,
        expect.stringContaining("begins with srk_. The operator's token is for"),
      ]);
      expect(answer.text).not.toContain(text);
    }
  });

  it("at an address of no server is told what an address looks like", async () => {
    const admin = adminOf(router, router.adminToken);
    const made = await admin("POST", "/tenants/bad-input/keys", { name: "p", scopes: ["proxy"] });
    for (const path of ["/mcp/bad-input/nobody", "/mcp/elsewhere/nobody"]) {
      const answer = await fetch(`${router.url}${path}`, {
        method: "POST",
        headers: {
          Accept: "application/json, text/event-stream",
          Authorization: `Bearer ${String(made.get("key"))}`,
          "Content-Type": "application/json",
        },
        body: ping,
      });
      expect([answer.status, await answer.text()]).toEqual([
        404,
        expect.stringContaining("no such server; use /mcp/{tenant}/{server}"),
      ]);
    }
  });

  // cites: H-004
  it("refuses a revoked key and an expired one", async () => {
    const admin = adminOf(router, router.adminToken);
    const keys = "/tenants/bad-input/keys";
    const made = await admin("POST", keys, { name: "gone", scopes: ["sampling"] });
    const session = await openSession(router, String(made.get("key")));
    expect((await session.sample(asking("x"))).body).toHaveProperty("result");
    await admin("DELETE", `${keys}/${String(made.get("id"))}`);
    refused(await session.sample(asking("x")), "unauthorized", -401, 401);
    refused(await session.send(ping), "unauthorized", -401, 401);
    const over = { name: "old", scopes: ["sampling"], expiresAt: Date.now() - 1 };
    const late = await admin("POST", keys, over);
    expect([late.status, late.get("reason"), late.get("path")]).toEqual([
      400,
      "invalid_params",
      "expiresAt",
    ]);
    const old = await admin("POST", keys, { ...over, expiresAt: null });
    const { expiresAt } = over;
    expect((await admin("PATCH", `${keys}/${String(old.get("id"))}`, { expiresAt })).status).toBe(
      200,
    );
    const answer = await fetch(`${router.url}/v1/sampling`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${String(old.get("key"))}`,
        "Content-Type": "application/json",
      },
      body: ping,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    expect(await answer.text()).toContain("expired");
  });

  // cites: H-019
  it("knows no session of another tenant, and none that has ended", async () => {
    const other = await createTenant(router, "bad-input-other", { provider: "demo" });
    const theirs = await openSession(router, other.key);
    const mine = await openSession(router, key);
    const stolen = await mine.send(ping, { "Mcp-Session-Id": theirs.sessionId ?? "" });
    refused(stolen, "session_not_found", -404, 404);
    const ended = await fetch(`${router.url}/v1/sampling`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${key}`, "Mcp-Session-Id": mine.sessionId ?? "" },
    });
    expect(ended.status).toBe(204);
    refused(await mine.sample(asking("x")), "session_not_found", -404, 404);
  });

  it("asks for a session where one is needed", async () => {
    const answer = await post(ping, { "Mcp-Session-Id": "" });
    expect([400, 404]).toContain(answer.status);
  });

  // cites: H-021
  it("refuses a protocol version that nobody speaks", async () => {
    const answer = await post(ping, { "MCP-Protocol-Version": "1999-01-01" });
    expect(answer.status).toBe(400);
    expect(answer.get("error.code")).toBe(-32022);
  });
});

describe("afterwards", () => {
  it("has a record for every refusal that a caller could have paid for", async () => {
    const admin = adminOf(router, router.adminToken);
    const page = await admin("GET", "/tenants/bad-input/requests?outcome=refused&limit=200");
    const reasons = new Set((page.get("data") as { reason: string }[]).map(({ reason }) => reason));
    expect([...reasons].toSorted()).toEqual([
      "capability_missing",
      "invalid_params",
      "no_eligible_model",
    ]);
    expect(await printedByRouter()).not.toContain('"event":"internal"');
  });
});
