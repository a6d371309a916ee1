/** aimock's chaos on the first candidate: the answer comes from the next one, in time, charged once. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { adminOf, asking, callOnce, createTenant } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { patient } from "../setup/patience.ts";

const deadlineMs = 3_000;
let router: SharedRouter;
let steady: Aimock;

beforeAll(async () => {
  steady = await startAimock([
    {
      match: { userMessage: "hello" },
      response: { content: "Steady.", usage: usageOf(9, 4) },
    },
  ]);
  router = await borrowRouter();
});
afterAll(async () => {
  await steady?.stop();
});

interface Chaos {
  name: string;
  /** server-wide, at runtime */
  rates?: Record<string, number>;
  /** or the answer of its fixture */
  response?: Record<string, unknown>;
  status: number | null;
}

const failing = (status: number): Record<string, unknown> => ({
  error: { message: "chaos", type: "server_error" },
  status,
});

const chaos: Chaos[] = [
  { name: "429 with Retry-After", rates: { rateLimitRate: 1 }, status: 429 },
  { name: "429 without Retry-After", response: failing(429), status: 429 },
  { name: "500", response: failing(500), status: 500 },
  { name: "503", response: failing(503), status: 503 },
  { name: "a dropped request", rates: { dropRate: 1 }, status: 500 },
  { name: "a disconnect", rates: { disconnectRate: 1 }, status: null },
  { name: "a malformed body", rates: { malformedRate: 1 }, status: 200 },
  { name: "slowness beyond its share", rates: { latencyMs: 10_000 }, status: null },
];

describe("with chaos at the first candidate", () => {
  it.each(chaos)(
    "$name: the next candidate answers within the deadline, and only that candidate is charged as used",
    async ({ name, rates, response, status }) => {
      const shaky = await startAimock([
        {
          match: { userMessage: "hello" },
          response: response ?? { content: "Shaky.", usage: usageOf(9, 4) },
        },
      ]);
      try {
        if (rates !== undefined) {
          const control = new URL("/__aimock/chaos", shaky.url("openai"));
          const set = await fetch(control, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(rates),
          });
          expect(set.ok).toBe(true);
        }
        const slug = `chaos-${chaos.findIndex((each) => each.name === name)}`;
        const figures = { inputUsdPerMTok: 1, outputUsdPerMTok: 1, speed: 5 };
        const { key } = await createTenant(router, slug, {
          provider: "shaky",
          baseUrl: shaky.url("openai-compatible"),
          models: [{ id: "first", ...figures }],
          policy: { deadlineMs, limits: { tokensPerMinute: 100_000 } },
        });
        const admin = adminOf(router, router.adminToken);
        await admin("POST", `/tenants/${slug}/credentials`, {
          provider: "steady",
          name: "steady",
          apiKey: "k",
          baseUrl: steady.url("openai-compatible"),
          models: [{ id: "second", ...figures, inputUsdPerMTok: 2, outputUsdPerMTok: 2, speed: 4 }],
        });
        steady.clear();
        const began = performance.now();
        const answer = await callOnce(router, key, asking("hello"));
        expect(performance.now() - began).toBeLessThan(deadlineMs + patient(500));
        expect(answer.get("result.content.text")).toBe("Steady.");
        expect(await steady.journal()).toHaveLength(1);
        const decision = answer.get("result._meta.sampling-router/decision") as {
          requestId: string;
          attempts: number;
        };
        expect(decision.attempts).toBe(2);
        const record = await admin("GET", `/tenants/${slug}/requests/${decision.requestId}`);
        expect(record.body).toMatchObject({
          outcome: "succeeded",
          usage: { inputTokens: 9, outputTokens: 4, estimated: false },
          attempts: [
            { provider: "shaky", status, retryable: true },
            { provider: "steady", status: 200, billed: "yes" },
          ],
        });
        // An attempt that may have been billed is charged as reserved, once. A plain refusal is not
        // charged.
        const reserved = Number(record.get("reservedTokens"));
        const unsure = record.get("attempts.0.billed") === "maybe" ? 1 : 0;
        const used = 2 * (9 + 4);
        const max = 2 * reserved * unsure;
        expect(Number(record.get("costMicroUsd"))).toBeGreaterThanOrEqual(used);
        expect(Number(record.get("costMicroUsd"))).toBeLessThanOrEqual(
          used + (unsure === 0 ? 0 : max),
        );
      } finally {
        await shaky.stop();
      }
    },
    20_000,
  );
});
