/** The client's answer to a parked call at a process that doesn't keep the call, which asks the one that does. */
import { expect, it } from "vitest";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { err, ok, type Result } from "../../../src/domain/result.ts";
import { maxAnswerBytes } from "../../../src/proxy/bridge/ask-client.ts";
import { createParkedCalls, type ParkedOutcome } from "../../../src/proxy/bridge/parked-calls.ts";
import { resumeParked } from "../../../src/proxy/bridge/resume-parked.ts";
import { exchange } from "./exchange.fixture.ts";

const down: Refusal = { reason: "unavailable", retryAfterMs: 1 };
const done: ParkedOutcome = { kind: "answer", text: "done" };
const lost = { kind: "refused", refusal: { retryable: false, reason: "server_failed" } };

interface World {
  /** whether the owner is alive, at each read; the last one repeats */
  alive: (Result<boolean, Refusal> | "leaves")[];
  outcomes?: Result<string | null, Refusal>[];
  processes?: "one" | "several";
  response?: object;
}
async function resume({ alive, outcomes = [], processes = "several", response }: World) {
  const asked: { call: string; content: unknown }[] = [];
  const withdrawn: unknown[] = [];
  const left = new AbortController();
  const services = {
    ids: { next: () => "qst_1" },
    now: () => 0,
    wait: async () => undefined,
    sha256Hex: async (text: string) => text,
    sessions: {
      async isParked(session: object) {
        expect(session).toMatchObject({ tenantId: "ten_1", id: "ses_9" });
        const next = alive.length > 1 ? alive.shift() : alive[0];
        if (next === "leaves") left.abort();
        return next === "leaves" ? ok(true) : next;
      },
    },
    questions: {
      async askProcess(to: object, { call, content }: { call: string; content: string }) {
        expect(to).toEqual({ tenantId: "ten_1", owner: "there", id: "qst_1" });
        asked.push({ call, content: JSON.parse(content) as unknown });
        return ok(null);
      },
      answerOf: async () => outcomes.shift() ?? ok(null),
      async withdraw(these: object) {
        withdrawn.push(these);
        return ok(null);
      },
    },
  };
  const params = {
    name: "t",
    ...(response !== undefined && { inputResponses: { "sampling-router/question": response } }),
  };
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const resumed = await resumeParked(services as never, exchange({ text }), {
    calls: createParkedCalls({ epoch: "here", patienceMs: 1, processes }),
    state: { id: "ses_9", epoch: "there", round: 3 },
    gone: left.signal,
  });
  return { ...resumed, asked, withdrawn };
}
const accepted = { action: "accept", content: {} };

it("asks the owner, reads until the outcome is there, and takes the question back", async () => {
  const found = await resume({
    alive: [ok(true), err(down), ok(true)],
    outcomes: [ok(null), err(down), ok(JSON.stringify(done))],
    response: accepted,
  });
  expect(found).toMatchObject({ outcome: done, round: 3 });
  const content = { id: "ses_9", round: 3, text: JSON.stringify(accepted) };
  expect(found.asked).toMatchObject([{ call: "ses_9", content }]);
  expect(found.withdrawn).toEqual([{ tenantId: "ten_1", sessionId: "there", ids: ["qst_1"] }]);
});

it("without an answer, asks for the question of the round before", async () => {
  const asks = { kind: "asks", params: "{}" };
  const found = await resume({ alive: [ok(true)], outcomes: [ok(JSON.stringify(asks))] });
  expect(found).toMatchObject({ outcome: asks, round: 2, asked: [{ content: { text: null } }] });
});

it("finds an outcome that was written before the owner ended", async () => {
  const outcomes = [ok(JSON.stringify(done))];
  const found = await resume({ alive: [ok(true), ok(false)], outcomes, response: accepted });
  expect(found.outcome).toEqual(done);
});

it("an owner that is gone: the call is lost, and no answer is stored if that is known before", async () => {
  const before = await resume({ alive: [ok(false)], response: accepted });
  expect(before).toMatchObject({ outcome: lost, asked: [] });
  const meanwhile = await resume({ alive: [ok(true), ok(true), ok(false)], response: accepted });
  expect(meanwhile).toMatchObject({ outcome: lost, withdrawn: [{ ids: ["qst_1"] }] });
  const alone = await resume({ alive: [], processes: "one", response: accepted });
  expect(alone).toMatchObject({ outcome: lost, asked: [] });
});

it("a store that can't be reached is reported before anything is asked", async () => {
  const { outcome, asked } = await resume({ alive: [err(down)], response: accepted });
  expect(outcome).toEqual({ kind: "refused", refusal: down });
  expect(asked).toEqual([]);
});

it("a client that leaves takes its question back", async () => {
  const { outcome, withdrawn } = await resume({
    alive: [ok(true), "leaves"],
    response: accepted,
  });
  expect(outcome).toBeNull();
  expect(withdrawn).toHaveLength(1);
});

it("stores no answer that is malformed or too large", async () => {
  const alive = [ok(true)];
  const large = { action: "accept", content: { text: "x".repeat(maxAnswerBytes) } };
  const found = await resume({ alive, response: large });
  expect(found.outcome).toMatchObject({ refusal: { reason: "payload_too_large" } });
  const malformed = await resume({ alive, response: { action: "unknown" } });
  expect(malformed.outcome).toMatchObject({ kind: "refused" });
  expect([...found.asked, ...malformed.asked]).toEqual([]);
});
