/**
 * 1,500 mutated JSON-RPC messages against the running router: no 500, no hang, no growth of memory,
 * every answer valid JSON-RPC. Each run has other messages. FUZZ_SEED repeats a run, FUZZ_COUNT=20000 makes it
 * longer. A complaint names the message's number, and each message depends on the seed and its number alone.
 */
import { existsSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusalTable } from "../../src/domain/refusals.ts";
import {
  adminOf,
  asking,
  at,
  createTenant,
  openSession,
  type SamplingCaller,
} from "../fakes/caller.ts";
import { bytesOf, mutateBytes, mutateHeaders, mutateMessage, randomOf } from "../fakes/mutate.ts";
import { hostUnderTest, startRouter, type Router } from "../fakes/router.ts";
import { patient } from "../setup/patience.ts";

const count = Number(process.env["FUZZ_COUNT"] ?? 1_500);
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 32);
const rounds = 10;
/** Rounds whose growth is not counted: in them the runtime compiles what runs often, some 20 MB of a short run. */
const warmRounds = 5;
const round = Math.ceil(count / rounds);
const concurrency = 16;
const answerWithinMs = patient(10_000);
const shownComplaints = 10;
const readPages = 20;

/**
 * What the runtime's memory may grow by. With room to spare V8 collects late, and garbage that waits hides what is
 * kept: so the Node host gets a small heap. Of it 4,000 messages were seen to take 16 MB, and 512 MB of large
 * ones 36. The Workers runtime has no such setting: there the same took hundreds of megabytes.
 *
 * - `eachKb`: of a message, though growth is counted from the end of the warm rounds alone
 * - `large`: messages of 4 MB that are read, parsed and refused; `mayGrowByMb` is less than their bytes
 */
const memory = {
  node: {
    env: { NODE_OPTIONS: "--max-old-space-size=128 --max-semi-space-size=4" },
    eachKb: 16,
    large: { megabytes: 4, count: 48, mayGrowByMb: 128 },
  },
  workerd: { env: {}, eachKb: 160, large: { megabytes: 4, count: 512, mayGrowByMb: 1_024 } },
}[hostUnderTest];
const { large } = memory;

const legacyRevisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const modernRevision = "2026-07-28";

let router: Router;
let key = "";
let sessions: Map<string, SamplingCaller>;

const agent = new Agent({ keepAlive: true, maxSockets: concurrency });

beforeAll(async () => {
  router = await startRouter({ env: memory.env });
  ({ key } = await createTenant(router, "fuzz", { provider: "demo" }));
  const capabilities = { sampling: { tools: {}, supportedModalities: ["text"] }, roots: {} };
  sessions = new Map();
  for (const revision of legacyRevisions)
    sessions.set(revision, await openSession(router, key, { revision, capabilities }));
});
afterAll(async () => {
  agent.destroy();
  await router?.stop();
});

const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
const history = [
  { role: "user", content: { type: "text", text: "Look twice." } },
  {
    role: "assistant",
    content: [
      { type: "text", text: "So be it." },
      { type: "tool_use", id: "a", name: "look", input: { at: 1 } },
      { type: "tool_use", id: "b", name: "look", input: {} },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", toolUseId: "a", content: [{ type: "text", text: "A cat." }] },
      {
        type: "tool_result",
        toolUseId: "b",
        content: [{ type: "image", data: "AAAA", mimeType: "image/png" }],
        structuredContent: { cats: 1 },
        isError: false,
        _meta: { kept: true },
      },
    ],
  },
];

/** Valid params, from the simplest to one with everything in it. */
const calls: readonly [object, ...object[]] = [
  asking("hello"),
  asking("hello", {
    modelPreferences: {
      hints: [{ name: "demo" }, { name: "claude" }],
      costPriority: 0.3,
      speedPriority: 0.8,
      intelligencePriority: 0.5,
    },
    systemPrompt: "Be brief.",
    includeContext: "thisServer",
    temperature: 0.5,
    stopSequences: ["END", ""],
    metadata: { "sampling-router/outputModalities": ["text"], user: { id: 7 } },
  }),
  {
    messages: [
      { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
      { role: "user", content: { type: "audio", data: "AAAA", mimeType: "audio/wav" } },
    ],
    maxTokens: 5,
  },
  { messages: history, maxTokens: 100, tools, toolChoice: { mode: "required" } },
];

const clientInfo = { name: "fuzz", version: "1" };
const negotiating = {
  sampling: { tools: {}, context: {}, supportedModalities: ["text", "image"] },
  roots: { listChanged: true },
  experimental: { a: {} },
  extensions: {
    "io.modelcontextprotocol/content-negotiation": {
      version: "1.0",
      features: ["agent", "!interactive", "format=markdown", "verbosity=compact", "x-team=one"],
    },
  },
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

interface Sent {
  bytes: Uint8Array<ArrayBuffer>;
  headers: Record<string, string | string[]>;
}

/** Message number `at`, with its faults. */
function messageAt(number: number): Sent {
  const random = randomOf(seed + Math.imul(number, 0x9e3779b1));
  const id = random.chance(0.5) ? number : `n-${number}`;
  const isModern = random.chance(0.4);
  const revision = isModern ? modernRevision : random.pick(legacyRevisions);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": modernRevision,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": negotiating,
  };
  const call = random.pick(calls);
  const initializing = { protocolVersion: revision, capabilities: negotiating, clientInfo };
  const ping = { jsonrpc: "2.0", id, method: "ping" };
  const sampling = {
    jsonrpc: "2.0",
    id,
    method: random.pick(["sampling/createMessage", "sampling-router/createMessage"]),
  };
  const cancelling = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: random.pick([1, id, "unknown"]), reason: "no longer" },
  };
  const message: object = isModern
    ? random.pick<object>([
        { ...sampling, params: { ...call, _meta: meta } },
        { ...sampling, params: { ...call, _meta: meta } },
        { jsonrpc: "2.0", id, method: "server/discover", params: { _meta: meta } },
        { ...cancelling, params: { ...cancelling.params, _meta: meta } },
      ])
    : random.pick<object>([
        { ...sampling, params: call },
        { ...sampling, params: call },
        { jsonrpc: "2.0", id, method: "initialize", params: initializing },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        ping,
        cancelling,
        { jsonrpc: "2.0", id, result: { roots: [] } },
        [ping, { ...sampling, params: call, id: `second ${number}` }, cancelling],
      ]);
  const headers: Record<string, string> = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": revision,
    ...(isModern
      ? { "Mcp-Method": String(at(message, "method")) }
      : { "Mcp-Session-Id": sessions.get(revision)?.sessionId ?? "" }),
  };
  const text = random.chance(0.8) ? mutateMessage(message, random) : JSON.stringify(message);
  // Else most faults in a modern body would end at the headers that repeat the body.
  const method = at(parsed(text), "method");
  if (isModern && typeof method === "string" && /^[\x21-\x7e]{1,200}$/.test(method))
    headers["Mcp-Method"] = method;
  const bytes = random.chance(0.15) ? mutateBytes(bytesOf(text), random) : bytesOf(text);
  return { bytes, headers: random.chance(0.3) ? mutateHeaders(headers, random) : headers };
}

interface Got {
  status: number;
  type: string;
  text: string;
}

const post = ({ bytes, headers }: Sent): Promise<Got> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      `${router.url}/v1/sampling`,
      { method: "POST", agent, headers: { ...headers, "Content-Length": bytes.length } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          clearTimeout(timer);
          resolve({
            status: incoming.statusCode ?? 0,
            type: (incoming.headers["content-type"] ?? "").split(";")[0] ?? "",
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    const timer = setTimeout(
      () => outgoing.destroy(new Error(`no answer within ${answerWithinMs} ms`)),
      answerWithinMs,
    );
    outgoing.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    outgoing.end(bytes);
  });

const codes = new Set([...Object.values(refusalTable).map(({ code }) => code), -32021]);
/** Reasons that no message may cause here: everything but the message is in order. */
const faults = new Set(["internal", "unavailable", "provider_failed", "provider_timeout"]);

/** What is wrong with one answered message; null: nothing. */
function complaintAbout(message: unknown, sentIds: readonly unknown[]): string | null {
  if (at(message, "jsonrpc") !== "2.0") return "no JSON-RPC 2.0";
  const [hasResult, hasError] = ["result", "error"].map((name) =>
    Object.hasOwn(message as object, name),
  );
  if (hasResult === hasError) return "not exactly one of result and error";
  const hasId = Object.hasOwn(message as object, "id");
  if (hasId && !sentIds.includes(at(message, "id"))) return "an id that was not sent";
  if (hasResult) return hasId ? null : "a result without an id";
  const error = at(message, "error") as Record<string, unknown>;
  if (!codes.has(error["code"] as number)) return "an error code of nobody's";
  if (typeof error["message"] !== "string") return "an error without a message";
  const reason = String(at(error, "data.reason"));
  if (!Object.hasOwn(refusalTable, reason)) return "a reason of nobody's";
  if (faults.has(reason)) return `the fault "${reason}"`;
  return String(at(error, "data.requestId")).startsWith("req_") ? null : "no request id";
}

const isRequest = (sent: unknown): boolean =>
  typeof at(sent, "method") === "string" && Object.hasOwn(sent as object, "id");
const isNotification = (sent: unknown): boolean =>
  typeof at(sent, "method") === "string" && !Object.hasOwn(sent as object, "id");

/** What is wrong with an answer; null: nothing. */
function complaintAboutAnswer({ status, type, text }: Got, sent: Sent): string | null {
  if (status >= 500) return `status ${status}`;
  let asked: unknown;
  try {
    asked = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(sent.bytes)) as unknown;
  } catch {
    asked = undefined;
  }
  if (status === 202 && isRequest(asked)) return "a request that nobody answered";
  if (status === 202) return text === "" ? null : "a 202 with a body";
  let body: unknown;
  if (type === "application/json") body = parsed(text);
  else if (type === "text/event-stream") {
    const events = text.split("\n\n").filter((event) => event !== "" && !event.startsWith(":"));
    if (events.length !== 1) return `${events.length} events`;
    body = parsed(/^event: message\ndata: ([^\r\n]*)$/.exec(events[0] ?? "")?.[1] ?? "");
  } else return `content type ${type}`;
  if (body === undefined) return "no JSON";
  const ids = (Array.isArray(asked) ? asked : [asked]).map((message: unknown) => at(message, "id"));
  if (status === 200 && isNotification(asked)) return "a notification answered";
  if (!Array.isArray(body)) return complaintAbout(body, ids);
  if (!Array.isArray(asked) || body.length > asked.length) return "a batch that was not asked for";
  return (
    body.map((message) => complaintAbout(message, ids)).find((found) => found !== null) ?? null
  );
}

/** Sends the messages from `from` up to `to`. Gives how many answers each status had, and what was wrong. */
async function run(from: number, to: number, seen: Map<string, number>): Promise<string[]> {
  const complaints: string[] = [];
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to && complaints.length < shownComplaints) {
      const number = next;
      next += 1;
      const sent = messageAt(number);
      const got = await post(sent).catch((error: unknown) => String(error));
      const complaint = typeof got === "string" ? got : complaintAboutAnswer(got, sent);
      if (complaint !== null)
        complaints.push(
          `FUZZ_SEED=${seed}, message ${number}: ${complaint}\n` +
            `  sent ${JSON.stringify(sent.headers)} ${new TextDecoder().decode(sent.bytes).slice(0, 2_000)}\n` +
            `  got ${JSON.stringify(got).slice(0, 1_000)}`,
        );
      if (typeof got === "string") continue;
      const kind = `${got.status} ${/"code":(-?\d+)/.exec(got.text)?.[1] ?? ""}`.trim();
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return complaints;
}

/** Resident memory of the Workers runtime in MB; null where the system doesn't tell. */
function residentMb(): number | null {
  const statuses = router.runtimePids().map((pid) => `/proc/${pid}/status`);
  if (statuses.length === 0 || !statuses.every((path) => existsSync(path))) return null;
  const kilobytes = statuses.map((path) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(path, "utf8"))?.[1]),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

describe(`${count} mutated messages, FUZZ_SEED=${seed}`, () => {
  /** MB, after each round; null where the system doesn't tell */
  const resident: (number | null)[] = [];
  const noProc = "this system has no /proc to read the runtime's memory from";

  // cites: J-001, J-006, J-007
  it("each have an answer in time, in valid JSON-RPC, and never a 500", async () => {
    const complaints: string[] = [];
    const seen = new Map<string, number>();
    for (let from = 0; from < count && complaints.length === 0; from += round) {
      complaints.push(...(await run(from, Math.min(from + round, count), seen)));
      resident.push(residentMb());
    }
    const answers = JSON.stringify(Object.fromEntries(seen));
    const megabytes = resident.map((each) => Math.round(each ?? 0)).join(" ");
    console.log(`FUZZ_SEED=${seed} FUZZ_COUNT=${count}: ${answers}, resident MB ${megabytes}`);
    expect(complaints).toEqual([]);
  }, 240_000);

  it("leave the runtime's memory within bounds", ({ skip }) => {
    const [before, after] = [resident[warmRounds - 1] ?? null, resident.at(-1) ?? null];
    if (before === null || after === null) return skip(noProc);
    expect((after - before) * 1_024).toBeLessThan(memory.eachKb * Math.max(count, 1_500));
  });

  /** A session of another key: the messages may have used up how many sessions their key may begin. */
  const sessionAfterwards = async () => {
    const made = await adminOf(router, router.adminToken)("POST", "/tenants/fuzz/keys", {
      name: "afterwards",
      scopes: ["sampling"],
    });
    return openSession(router, String(made.get("key")));
  };

  it("leave no part of themselves in memory, however large they are", async ({ skip }) => {
    if (residentMb() === null) return skip(noProc);
    const session = await sessionAfterwards();
    const text = "x".repeat(large.megabytes * 2 ** 20);
    const before = residentMb() ?? 0;
    for (let sent = 0; sent < large.count; sent += 1)
      expect((await session.sample(asking(text, { maxTokens: 0 }))).get("error.code")).toBe(-32602);
    const after = residentMb() ?? 0;
    console.log(
      `resident MB ${Math.round(before)} before large messages, ${Math.round(after)} after`,
    );
    expect(after - before).toBeLessThan(large.mayGrowByMb);
  }, 120_000);

  it("leave a router that works, and no unexpected error in its log", async () => {
    const session = await sessionAfterwards();
    expect((await session.sample(asking("Still there?"))).get("result.model")).toMatch(/^demo\//);
    expect(router.output()).not.toContain('"event":"internal"');
  });

  it.each(["requests", "sessions"])("leave %s that can be read", async (name) => {
    const admin = adminOf(router, router.adminToken);
    let cursor = "";
    for (let page = 0; page < readPages; page += 1) {
      const answer = await admin("GET", `/tenants/fuzz/${name}?limit=200${cursor}`);
      expect(answer.status).toBe(200);
      expect((answer.get("data") as unknown[]).length).toBeGreaterThan(0);
      const next = answer.get("nextCursor");
      if (typeof next !== "string") break;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  });
});
