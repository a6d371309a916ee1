/** What the router learns of a server from a refusal, and how it finds out that the refusal no longer holds. */
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import { ok } from "../../../src/domain/result.ts";
import type { Learned } from "../../../src/domain/servers/server.ts";
import type { UpstreamAnswer } from "../../../src/domain/ports/upstream.ts";
import type { Sending } from "../../../src/pipeline/servers/upstream.ts";
import { eraOf } from "../../../src/proxy/bridge/era.ts";
import type { BridgeServices } from "../../../src/proxy/bridge/services.ts";
import { handlerOf } from "../../../src/proxy/dispatch.ts";
import { createRetests } from "../../../src/proxy/retests.ts";
import { exchange, server, session } from "./exchange.fixture.ts";

const minute = 60_000;

let clock = 0;
let learned: Learned = {};
/** methods that reached the server, with the sampling that an `initialize` declared */
let asked: string[] = [];
/** what the server answers, by method; absent: 404 */
let answers: Record<string, (message: JsonObject) => Response> = {};
let services: BridgeServices;

const json = (status: number, body: object): Response => Response.json(body, { status });
const gives =
  (result: object, headers: Record<string, string> = {}) =>
  (): Response =>
    Response.json({ jsonrpc: "2.0", id: 1, result }, { headers });
const refuses =
  (status: number, code = -32_601, data?: object) =>
  (): Response =>
    json(status, { jsonrpc: "2.0", id: 1, error: { code, message: "no", data } });

const discovered = gives({
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: {},
});
const initialized = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} };

beforeEach(() => {
  clock = 1_000_000;
  learned = {};
  asked = [];
  answers = {};
  services = {
    retests: createRetests({ capacity: 100, elapsed: () => clock }),
    background: () => undefined,
    wait: () => new Promise(() => undefined),
    note: () => undefined,
    report: () => undefined,
    now: () => 0,
    elapsed: () => clock,
    callerMemory: { amend: () => undefined },
    ids: { next: () => "new" },
    servers: {
      async learn(_tenant: string, _id: string, more: object) {
        const entries = Object.entries({ ...learned, ...more });
        learned = Object.fromEntries(entries.filter(([, value]) => value !== null));
        return ok(null);
      },
    },
    sessions: {
      admit: async () => ok(null),
      beginWithServer: async (_server: unknown, _key: unknown, more: object) => ok(session(more)),
      offerFor: () => ({ supportedModalities: ["text"], tools: true }),
    },
    async upstream({ body }: Sending) {
      const message = JSON.parse(body as string) as JsonObject & { method: string };
      const { sampling } = (message["params"] as { capabilities?: JsonObject }).capabilities ?? {};
      asked.push(message.method + (sampling === undefined ? "" : ` ${JSON.stringify(sampling)}`));
      const answer = answers[message.method] ?? refuses(404);
      return ok(answer(message) as unknown as UpstreamAnswer);
    },
  } as unknown as BridgeServices;
});

const now = () => ({ server: server({ learned }), session: null });
const legacy = async (capabilities: object = {}): Promise<Response> => {
  const text = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities,
      clientInfo: { name: "c", version: "1" },
    },
  });
  const opened = exchange({ ...now(), text });
  const handler = await handlerOf(services, opened, "legacy");
  return (await handler(services, opened)) as Response;
};
const modern = async (): Promise<Response> => {
  const method = "server/discover";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = new Headers({ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method });
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta } });
  const opened = exchange({ ...now(), text, headers });
  const handler = await handlerOf(services, opened, "modern");
  return (await handler(services, opened)) as Response;
};

describe("an era", () => {
  it("that a server refused is asked for again after a minute, by one request", async () => {
    await modern();
    expect(learned.era).toBe("legacy");
    answers["server/discover"] = discovered;
    clock += minute - 1;
    asked = [];
    expect((await modern()).status).toBe(404);
    expect(asked).toEqual([]);
    clock += 1;
    const both = await Promise.all([
      eraOf(services, exchange(now()), "modern"),
      eraOf(services, exchange(now()), "modern"),
    ]);
    expect(both.map(({ era }) => era)).toEqual(["modern", "legacy"]);
    expect(asked).toEqual(["server/discover"]);
    expect(learned.era).toBe("modern");
  });

  it("stays where the server refuses again, or says nothing, and costs older clients nothing", async () => {
    learned = { era: "legacy" };
    for (const answer of [refuses(404), () => json(503, {}), () => json(401, {})]) {
      answers = { "server/discover": answer, initialize: gives(initialized) };
      clock += minute;
      asked = [];
      expect((await modern()).status).toBeGreaterThanOrEqual(400);
      await legacy();
      expect(asked).toEqual(["server/discover", expect.stringMatching(/^initialize/)]);
      expect(learned).toEqual({ era: "legacy" });
    }
  });

  it.each([
    ["with a status", refuses(400)],
    ["with an error", refuses(200, -32_022)],
  ])("is unknown again when the server refuses its handshake %s", async (_, answer) => {
    learned = { era: "legacy" };
    answers = { initialize: answer };
    await legacy();
    expect(learned).toEqual({});
  });

  it("of a modern server is known by an error of that era, and its later answer serves older clients", async () => {
    answers["server/discover"] = refuses(400, -32_022, { supported: ["2026-07-28"] });
    await modern();
    expect(learned).toEqual({ era: "modern" });
    answers["server/discover"] = discovered;
    expect(await (await legacy()).json()).toMatchObject({
      result: { protocolVersion: "2025-11-25" },
    });
  });

  it("newer than the router is no older one", async () => {
    answers["server/discover"] = refuses(400, -32_022, { supported: ["2027-06-18"] });
    const refused = (await (await legacy()).json()) as { error: { message: string } };
    expect(refused.error.message).toContain("newer than this router: 2027-06-18");
    expect(refused.error.message).not.toContain("before 2026-07-28");
    expect(learned.era).toBe("modern");
  });
});

it("a handshake that a modern server refused is tried again after a minute", async () => {
  answers = { "server/discover": discovered, initialize: refuses(400) };
  await legacy();
  expect(learned).toEqual({ era: "modern", acceptsInitialize: false });
  answers["initialize"] = gives(initialized, { "Mcp-Session-Id": "theirs" });
  clock += minute - 1;
  expect((await legacy()).headers.get("Mcp-Session-Id")).not.toBe("theirs");
  clock += 1;
  expect((await legacy()).headers.get("Mcp-Session-Id")).toBe("theirs");
  expect(learned).toEqual({ era: "modern" });
});

it("capabilities that a server refused are declared again after a minute", async () => {
  learned = { era: "legacy" };
  const strict = (message: JsonObject): Response =>
    JSON.stringify(message).includes('"tools"') ? refuses(400)() : gives(initialized)();
  answers = { initialize: strict };
  const rich = 'initialize {"tools":{}}';
  await legacy();
  expect(asked).toEqual([rich, "initialize {}"]);
  expect(learned.bareCapabilities).toBe(true);
  asked = [];
  clock += minute - 1;
  await legacy();
  expect(asked).toEqual(["initialize {}"]);
  asked = [];
  clock += 1;
  // Still refused: known as before, and the client gets its session.
  expect((await legacy()).status).toBe(200);
  expect(asked).toEqual([rich, "initialize {}"]);
  expect(learned.bareCapabilities).toBe(true);
  asked = [];
  clock += minute;
  answers = { initialize: gives(initialized) };
  await legacy();
  await legacy();
  expect(asked).toEqual([rich, rich]);
  expect(learned).toEqual({ era: "legacy" });
});

it("forgets the oldest tests, and not the latest", () => {
  const retests = createRetests({ capacity: 2, elapsed: () => clock });
  for (const id of ["a", "b", "c"]) expect(retests.isDue({ id }, "modern")).toBe(true);
  expect(retests.isDue({ id: "c" }, "modern")).toBe(false);
  expect(retests.isDue({ id: "c" }, "handshake")).toBe(true);
  expect(retests.isDue({ id: "a" }, "modern")).toBe(true);
});
