/** Refusals of the model endpoints have the status and words on which clients of each wire act. */
import { describe, expect, it } from "vitest";
import type { AttemptSummary } from "../../../../src/domain/attempts.ts";
import type { Refusal } from "../../../../src/domain/refusals.ts";
import type { ExclusionReason, Requirements } from "../../../../src/domain/requirements.ts";
import { errorAnswer, type Dialect } from "../../../../src/http/models/errors.ts";
import { money } from "../../../fixtures/model-errors.ts";

const requirements: Requirements = {
  inputModalities: ["text"],
  outputModalities: ["text"],
  tools: false,
  inputTokens: 300_000,
  maxTokens: 10,
};
const noModel = (...excludedBy: ExclusionReason[]): Refusal => ({
  reason: "no_eligible_model",
  cause: "all_excluded",
  requirements,
  candidates: excludedBy.map((each, at) => ({ model: `openai/m${at}`, excludedBy: each })),
});
const failed = (attempt: Partial<AttemptSummary>): Refusal => ({
  reason: "provider_failed",
  attempts: [{ provider: "openai", model: "m", status: 500, retryable: true, ...attempt }],
});

describe("a refusal", () => {
  it.each<[string, Refusal, [number, string], [number, string | null], string | null]>([
    [
      "no key",
      { reason: "unauthorized", detail: "" },
      [401, "authentication_error"],
      [401, "invalid_api_key"],
      null,
    ],
    [
      "a used budget",
      money(40_000_000),
      [402, "billing_error"],
      [429, "insufficient_quota"],
      "false",
    ],
    [
      "a call beyond its limit",
      money(null),
      [402, "billing_error"],
      [429, "insufficient_quota"],
      "false",
    ],
    [
      "running calls in the way",
      money(9_000),
      [429, "rate_limit_error"],
      [429, "rate_limit_exceeded"],
      null,
    ],
    [
      "a request that its provider refuses",
      failed({ status: 400, retryable: false }),
      [400, "invalid_request_error"],
      [400, null],
      null,
    ],
    [
      "a request that is too long for its provider",
      failed({ status: 400, retryable: false, code: "context_length" }),
      [400, "invalid_request_error"],
      [400, "context_length_exceeded"],
      null,
    ],
    [
      "a key that its provider refuses",
      failed({ status: 401, retryable: false }),
      [529, "overloaded_error"],
      [503, "server_error"],
      "false",
    ],
    [
      "a rate",
      { reason: "rate_limited", limit: "key.requestsPerMinute", retryAfterMs: 800 },
      [429, "rate_limit_error"],
      [429, "rate_limit_exceeded"],
      null,
    ],
    [
      "a kill switch",
      { reason: "stopped", kind: "key", name: "k", explanation: "leaked" },
      [403, "permission_error"],
      [400, "permission_denied"],
      null,
    ],
    [
      "no such model",
      noModel("not_named", "not_named"),
      [404, "not_found_error"],
      [404, "model_not_found"],
      null,
    ],
    [
      "a prompt that is too long",
      noModel("context_window", "not_named"),
      [400, "invalid_request_error"],
      [400, "context_length_exceeded"],
      null,
    ],
    [
      "providers that are overloaded",
      { reason: "unavailable", retryAfterMs: 1_000 },
      [529, "overloaded_error"],
      [503, "server_error"],
      null,
    ],
    [
      "an approval that waits",
      { reason: "approval_pending", retryAfterMs: 1_000, idempotencyKey: "req_1" },
      [409, "invalid_request_error"],
      [409, "approval_pending"],
      "false",
    ],
    [
      "a member",
      { reason: "invalid_params", path: "n", detail: "" },
      [400, "invalid_request_error"],
      [400, null],
      null,
    ],
  ])("because of %s", (_of, refusal, anthropic, openai, retry) => {
    const in_ = (dialect: Dialect) => errorAnswer(refusal, { dialect, requestId: "req_9" });
    const [a, o] = [in_("anthropic"), in_("openai")];
    expect([a.status, (a.body["error"] as { type: string }).type]).toEqual(anthropic);
    expect([o.status, (o.body["error"] as { code: string }).code]).toEqual(openai);
    for (const answer of [a, o]) {
      expect(answer.headers["x-should-retry"] ?? null).toBe(retry);
      expect(answer.headers["request-id"]).toBe("req_9");
      expect(answer.body["error"]).toMatchObject({ reason: refusal.reason, requestId: "req_9" });
    }
  });

  it("says that a prompt is too long in the words on which clients compact it", () => {
    const messageOf = (modelContext: number | null): string => {
      const about = { dialect: "anthropic", requestId: "req_9", modelContext } as const;
      const { body } = errorAnswer(noModel("context_window", "not_named"), about);
      return String((body["error"] as { message: unknown }).message);
    };
    expect(messageOf(200_000)).toBe("prompt is too long: 300000 tokens > 200000 maximum");
    // Clients compute by how much: the first figure is the larger one, also where only the margin is too long.
    expect(messageOf(320_000)).toContain("375000 tokens > 320000 maximum");
    const [, tokens] = /(\d+) tokens > 400000 maximum/.exec(messageOf(400_000)) ?? [];
    expect(Number(tokens)).toBeGreaterThan(400_000);
    // Nothing is known of the context of `auto`.
    expect(messageOf(null)).toMatch(/^prompt is too long: No eligible model/);
  });

  it("names the member that is wrong", () => {
    const refusal: Refusal = { reason: "invalid_params", path: "messages.0.role", detail: "No." };
    const { body } = errorAnswer(refusal, { dialect: "openai", requestId: "req_9" });
    expect(body["error"]).toMatchObject({ param: "messages.0.role" });
  });

  it("says when to come again", () => {
    const { headers } = errorAnswer(money(9_000), { dialect: "openai", requestId: "req_9" });
    expect(headers["Retry-After"]).toBe("9");
  });
});

it("names the member that only another API carries", () => {
  const refusal = noModel("not_translatable", "not_named");
  if (refusal.reason !== "no_eligible_model") throw new Error();
  const passing = { losses: ["messages.1.content.0"] };
  const of = (dialect: Dialect) =>
    errorAnswer(
      { ...refusal, requirements: { ...requirements, passing } },
      { dialect, requestId: "req_1" },
    );
  expect([of("openai").status, of("openai").body["error"]]).toMatchObject([
    400,
    { param: "messages.1.content.0" },
  ]);
  expect(JSON.stringify(of("anthropic").body)).toContain(
    "untranslatable parameters: messages.1.content.0",
  );
});

it("a pending approval names the idempotency key that a repetition needs", () => {
  const pending: Refusal = {
    reason: "approval_pending",
    retryAfterMs: 1_000,
    idempotencyKey: "req_1",
  };
  for (const dialect of ["openai", "anthropic"] as const) {
    const { body } = errorAnswer(pending, { dialect, requestId: "r" });
    expect(JSON.stringify(body)).toContain("Idempotency-Key: req_1");
  }
});
