/** Calls that run once: which calls are the same, and for how long. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answersForMs,
  heldUntil,
  keyOf,
  streamKeyPrefix,
  type ReplayKey,
} from "../../../src/domain/sampling/replay-key.ts";
import type { Refusal } from "../../../src/domain/refusals.ts";

const dayMs = 86_400_000;
const hex = "ab".repeat(32);
const content = "cd".repeat(32);
const client: ReplayKey = { kind: "client", key: hex };
const stream: ReplayKey = { kind: "stream", scope: "ses_1", messageId: "1" };
const round: ReplayKey = { kind: "round", digest: hex, keptMs: 5_000 };

describe("a key", () => {
  it("of a client is its hash as it is, and no other kind's key looks like that", () => {
    expect(keyOf(client, content)).toBe(hex);
    for (const replayKey of [stream, round])
      expect(keyOf(replayKey, content)).not.toMatch(/^[0-9a-f]*$/);
  });

  it("of a stream's request is one for each place and content", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('"', '","', "\\", "]/", "/", "~", ""));
    const call = fc.record({ scope: text, messageId: text, sha256: fc.constantFrom("a", "b") });
    fc.assert(
      fc.property(call, call, (one, other) => {
        const keysOf = (its: typeof one) => streamKeyPrefix(its.scope, its.messageId);
        const keyIn = (its: typeof one) => keyOf({ kind: "stream", ...its }, its.sha256);
        const samePlace = one.scope === other.scope && one.messageId === other.messageId;
        // As the store looks for it.
        const isWithin = keyIn(one) >= keysOf(other) && keyIn(one) < `${keysOf(other)}~`;
        expect(isWithin).toBe(samePlace);
        expect(keyIn(one) === keyIn(other)).toBe(samePlace && one.sha256 === other.sha256);
      }),
    );
  });
});

describe("a call that was lost", () => {
  it("holds its key for a day; a round until its lease ends", () => {
    const about = { now: 1_000, leaseUntil: 91_000 };
    expect([client, stream, round].map((replayKey) => heldUntil(replayKey, about))).toEqual([
      1_000 + dayMs,
      1_000 + dayMs,
      91_000,
    ]);
  });
});

describe("a call that has ended", () => {
  const charge = { tokens: 10, microUsd: 5 };
  const free = { tokens: 0, microUsd: 0 };
  const failed: Refusal = { reason: "provider_failed", attempts: [] };
  const cancelled: Refusal = { reason: "cancelled" };
  it.each<[string, ReplayKey, Refusal | null, typeof charge, number]>([
    ["a client's", client, null, free, dayMs],
    ["a client's that failed and was charged", client, failed, charge, dayMs],
    ["a client's that was left and charged", client, cancelled, charge, dayMs],
    ["a client's that failed for nothing", client, failed, free, 0],
    ["a stream's", stream, null, charge, dayMs],
    ["a stream's that failed for nothing", stream, failed, free, dayMs],
    ["a stream's that was taken back", stream, cancelled, charge, dayMs],
    ["a round's", round, null, charge, 5_000],
    ["a round's that failed", round, failed, charge, 5_000],
    ["a round's that failed, known for long", { ...round, keptMs: dayMs }, failed, free, 5_000],
    ["a round's that was left", { ...round, keptMs: dayMs }, cancelled, charge, 0],
  ])("answers its repetitions: %s", (_, replayKey, refusal, charged, ms) => {
    expect(answersForMs(replayKey, { refusal, charge: charged })).toBe(ms);
  });

  it("counts as charged where its price is unknown", () => {
    const unknown = { tokens: 0, microUsd: null };
    expect(answersForMs(client, { refusal: failed, charge: unknown })).toBe(dayMs);
  });
});
