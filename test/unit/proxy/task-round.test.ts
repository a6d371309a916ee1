/** Ids of tasks are bound to their caller, and the router answers a task's sampling requests, without a network. */
import { beforeEach, describe, expect, it } from "vitest";
import { createVault } from "../../../src/crypto/vault.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import type { ReplayKey } from "../../../src/domain/sampling/replay-key.ts";
import { err, ok } from "../../../src/domain/result.ts";
import type { SamplingMode } from "../../../src/domain/servers/server.ts";
import { modernCodec } from "../../../src/mcp/rev2026/codec.ts";
import { roundWire } from "../../../src/mcp/rev2026/round.ts";
import { createRoundStates, type RoundStates } from "../../../src/proxy/modern/round-state.ts";
import type { Answered } from "../../../src/proxy/modern/round-sampling.ts";
import { openTask, sealTask, taskRefused } from "../../../src/proxy/modern/task-ids.ts";
import { createTaskRound } from "../../../src/proxy/modern/task-round.ts";

const owner = {
  tenantId: "ten_1",
  keyId: "key_1",
  grantId: "grt_1",
  userId: "usr_1",
  serverId: "srv_1",
};
let now = 0;
let states: RoundStates;

beforeEach(async () => {
  now = 1_000_000;
  const vault = await createVault({
    master: new Uint8Array(32),
    previous: null,
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
    derivedFor: "rounds",
  });
  states = createRoundStates({ vault, nonce: () => crypto.randomUUID(), now: () => now });
});

const seal = async (id: unknown = "task-1"): Promise<string> => {
  const sealed = await sealTask(states, owner, { id, tool: "job" });
  if (!sealed.ok) throw new Error(sealed.error.reason);
  return sealed.value;
};

describe("a task's id", () => {
  it("opens for its tenant, key, grant, person and server, and for no other", async () => {
    const id = await seal();
    expect(id).not.toContain("task-1");
    expect(await openTask(states, owner, id)).toEqual(
      ok({ task: { id: "task-1", tool: "job" }, sealedId: id }),
    );
    for (const name of ["tenantId", "keyId", "grantId", "userId", "serverId"])
      expect(await openTask(states, { ...owner, [name]: "another" }, id)).toEqual(err(taskRefused));
    expect(await openTask(states, { ...owner, grantId: null }, id)).toEqual(err(taskRefused));
    expect(await openTask(states, { ...owner, userId: null }, id)).toEqual(err(taskRefused));
  });

  it("is refused in one wording: the server's, changed, of another kind, or too old", async () => {
    const id = await seal();
    const ofARound = await states.wrap(
      { ...owner, digest: "task" },
      {
        state: "task-1",
        answers: [],
        rounds: 0,
      },
    );
    for (const other of ["task-1", `${id}x`, id.slice(1), "", 7, null, undefined, {}, ofARound])
      expect(await openTask(states, owner, other)).toEqual(err(taskRefused));
    now += 366 * 24 * 3_600_000;
    expect(await openTask(states, owner, id)).toEqual(err(taskRefused));
  });

  it("is no state of a request, nor the reverse", async () => {
    const id = await seal();
    expect((await states.open({ ...owner, digest: "d" }, id)).ok).toBe(false);
    const state = await states.wrap(
      { ...owner, digest: "d" },
      { state: "s", answers: [], rounds: 0 },
    );
    expect(await openTask(states, owner, state)).toEqual(err(taskRefused));
  });

  it("has a greatest length", async () => {
    for (const id of ["t".repeat(1_001), 7, undefined])
      expect(await sealTask(states, owner, { id, tool: null })).toMatchObject({
        error: { reason: "server_failed" },
      });
  });
});

const entry = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 10 },
};
const elicit = { method: "elicitation/create", params: { message: "Your name?" } };
const detailed = (inputRequests: JsonObject): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    result: { resultType: "complete", taskId: "task-1", status: "input_required", inputRequests },
  });

const about = (
  more: {
    method?: string;
    mode?: SamplingMode;
    declared?: JsonObject;
    params?: JsonObject;
    said?: () => Answered;
  } = {},
) => {
  const { method = "tasks/get", mode = "router", declared = {}, params = {} } = more;
  const sampled: (readonly [string, ReplayKey | null])[] = [];
  const text = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { taskId: "sealed", ...params, _meta: { x: 1 } },
  });
  const round = createTaskRound(
    { wire: roundWire, sha256Hex: async (of) => `hash of ${of}` },
    {
      text,
      idText: "1",
      method,
      task: { id: "task-1", tool: "job" },
      sealedId: "sealed",
      owner,
      mode,
      declared,
    },
    {
      decode: modernCodec.decodeCall,
      async sample({ key }, { replayKey }) {
        sampled.push([key, replayKey]);
        return more.said?.() ?? ok(JSON.stringify({ role: "assistant", content: key, model: "m" }));
      },
    },
  );
  const acted = (response: string) => round.actOn(response, new AbortController().signal);
  return { round, sampled, acted };
};
const deliveredIn = (action: { kind: string; text?: string }): { result: JsonObject } => {
  expect(action.kind).toBe("deliver");
  return JSON.parse(action.text ?? "") as { result: JsonObject };
};

describe("a request about a task", () => {
  it("reaches the server with its own id, and the client with the sealed one", async () => {
    const { round, acted } = about();
    expect(JSON.parse(round.first.text)).toMatchObject({ params: { taskId: "task-1" } });
    const { result } = deliveredIn(await acted(detailed({ name: elicit })));
    expect(result).toMatchObject({ taskId: "sealed", inputRequests: { name: elicit } });
    const failed = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"gone"}}';
    expect(await acted(failed)).toEqual({ kind: "deliver", text: failed });
  });

  it("is sampled for, and the client gets the rest once the server has the samples", async () => {
    const { round, acted, sampled } = about();
    const update = await acted(detailed({ llm: entry, name: elicit }));
    if (update.kind !== "send") throw new Error(update.kind);
    expect(update.method).toBe("tasks/update");
    expect(JSON.parse(update.text)).toMatchObject({
      id: JSON.parse(update.idText) as string,
      method: "tasks/update",
      params: { taskId: "task-1", inputResponses: { llm: { content: "llm" } }, _meta: { x: 1 } },
    });
    expect(round.repeated()).toBe(true);
    const { result } = deliveredIn(await acted('{"jsonrpc":"2.0","id":"u","result":{}}'));
    expect(result).toMatchObject({ taskId: "sealed", status: "input_required" });
    expect(Object.keys(result["inputRequests"] as JsonObject)).toEqual(["name"]);
    const again = about();
    await again.acted(detailed({ llm: entry }));
    expect(again.sampled).toEqual(sampled);
  });

  it("fails where the server refuses the samples, and where the router can't sample", async () => {
    const { acted } = about();
    await acted(detailed({ llm: entry }));
    expect(await acted('{"jsonrpc":"2.0","id":"u","error":{"code":-32602}}')).toMatchObject({
      kind: "refuse",
      refusal: { reason: "server_failed" },
    });
    const said = () => err({ refusal: { reason: "cancelled" } as const, requestId: "req_1" });
    expect(await about({ said }).acted(detailed({ llm: entry }))).toMatchObject({
      kind: "refuse",
      refusal: { reason: "cancelled" },
      requestId: "req_1",
    });
  });

  it("is at work while an approver decides", async () => {
    const refusal = {
      reason: "approval_pending",
      retryAfterMs: 1_000,
      idempotencyKey: null,
    } as const;
    const said = () => err({ refusal, requestId: "req_1" });
    const { result } = deliveredIn(await about({ said }).acted(detailed({ llm: entry })));
    expect(result).toMatchObject({ taskId: "sealed", status: "working" });
    expect(result).not.toHaveProperty("inputRequests");
  });

  it("asks the client where the client samples", async () => {
    const more = { mode: "client-then-router", declared: { sampling: {} } } as const;
    const { acted, sampled } = about(more);
    const { result } = deliveredIn(await acted(detailed({ llm: entry })));
    expect(result["inputRequests"]).toHaveProperty("llm");
    expect(sampled).toEqual([]);
  });

  it("brings no sample of the client's where the router samples", () => {
    const inputResponses = {
      llm: { role: "assistant", model: "m", content: {} },
      name: { action: "accept" },
    };
    const given = { method: "tasks/update", params: { inputResponses } };
    const sentBy = (mode: SamplingMode) =>
      (JSON.parse(about({ ...given, mode }).round.first.text) as { params: JsonObject }).params;
    expect(sentBy("router")["inputResponses"]).toEqual({ name: inputResponses.name });
    expect(sentBy("client-then-router")["inputResponses"]).toEqual(inputResponses);
  });

  it("is sampled for with a bounded number of requests at once", async () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`k${at}`, entry]));
    expect(await about().acted(detailed(many))).toMatchObject({
      kind: "refuse",
      refusal: { reason: "forbidden" },
    });
  });
});
