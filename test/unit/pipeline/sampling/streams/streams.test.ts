/** A stream ends within seconds when its caller may read no more. */
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../../../src/domain/choice/policy.ts";
import { err, ok } from "../../../../../src/domain/result.ts";
import { streamLimits } from "../../../../../src/pipeline/sampling/streams/stream-limits.ts";
import { createStreams } from "../../../../../src/pipeline/sampling/streams/streams.ts";
import type { SamplingRequest } from "../../../../../src/pipeline/sampling/request/sampling-request.ts";
import { call, model } from "../../../domain/models.fixture.ts";
import { callerWith } from "../../callers/callers.fixture.ts";
import { arrivalWith } from "../arrivals.fixture.ts";
import { createClock } from "./clock.fixture.ts";

async function watched(reauthenticate: SamplingRequest["reauthenticate"]) {
  const clock = createClock();
  let reads = 0;
  const streams = createStreams({
    limits: streamLimits,
    abandonedStreams: { count: 0 },
    elapsed: clock.elapsed,
    after: clock.after,
    providers: {
      async stream({ signal }, take) {
        await take({ type: "text", text: "One" });
        await clock.wait(20_000, signal);
        const usage = { inputTokens: 1, outputTokens: 1, estimated: false };
        return ok({
          content: [],
          stopReason: "endTurn",
          providerStopReason: null,
          usage,
          notes: [],
        });
      },
    },
  });
  const request = arrivalWith({
    reader: { begins: () => {}, take: async () => {} },
    reauthenticate: () => {
      reads += 1;
      return reauthenticate();
    },
  });
  const begin = () =>
    streams.begin({
      request,
      approval: null,
      signal: new AbortController().signal,
    });
  const streaming = begin();
  if (streaming === null) throw new Error("a call with a reader is a stream");
  const running = streaming.attempts.attempt(
    {
      credential: { provider: "a", apiKey: "key", baseUrl: null },
      model: model("a/x"),
      call: call(),
      maxTokens: 100,
      signal: streaming.signal,
    },
    1_000,
  );
  const answer = await clock.run(running);
  const ended = streaming.end();
  return { answer, ended, endedAt: clock.elapsed(), reads, armed: clock.armed() };
}

const withPolicy = (policy: Policy) => async () => ok(callerWith({ policy }));

describe("a running stream", () => {
  it.each([
    ["a revoked key", async () => err({ reason: "unauthorized", detail: "Revoked." } as const)],
    ["the tenant's switch", withPolicy({ stopped: { tenant: "a leak" } })],
    ["the key's switch", withPolicy({ stopped: { keys: { key_1: "a leak" } } })],
    ["the model's switch", withPolicy({ stopped: { models: { "a/*": "a leak" } } })],
  ])("is ended by %s within five seconds", async (_, again) => {
    const { answer, ended, endedAt } = await watched(again);
    expect([answer.ok, ended === null, endedAt <= 5_000]).toEqual([false, false, true]);
  });

  it("goes on while its caller may read, and where the database says nothing", async () => {
    for (const again of [
      withPolicy({}),
      async () => err({ reason: "unavailable", retryAfterMs: 1 } as const),
    ]) {
      const seen = await watched(again);
      expect(seen).toMatchObject({ answer: { ok: true }, ended: null, endedAt: 20_000, armed: 0 });
      expect(seen.reads).toBeGreaterThan(3);
    }
  });
});
