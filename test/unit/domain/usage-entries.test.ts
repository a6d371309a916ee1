/** A call is counted once, and each attempt's usage under the model of the attempt. */
import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../src/domain/attempts.ts";
import { usageEntriesOf } from "../../../src/domain/audit/usage-entries.ts";

const attempt = (model: string, fields: Partial<Attempt>): Attempt => ({
  provider: "openai",
  model,
  credentialId: "cred_1",
  status: 200,
  retryable: false,
  fault: null,
  billed: "yes",
  latencyMs: 1,
  retryAfterMs: null,
  ...fields,
});
const used = (inputTokens: number, outputTokens: number) => ({
  usage: { inputTokens, outputTokens, estimated: false },
});
const request = { model: null, requests: 1, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

describe("the usage entries of a call", () => {
  it("count the call once, and each attempt's tokens and money under the attempt's model", () => {
    const attempts = [
      attempt("one", { fault: "not_json", ...used(10, 20), costMicroUsd: 514 }),
      attempt("two", { fault: "server", billed: "no", costMicroUsd: 0 }),
      attempt("two", { ...used(1, 2), costMicroUsd: 3 }),
    ];
    const usage = { inputTokens: 11, outputTokens: 22, estimated: false };
    expect(usageEntriesOf({ attempts, usage, costMicroUsd: 517 })).toEqual([
      request,
      { model: "openai/one", requests: 0, inputTokens: 10, outputTokens: 20, costMicroUsd: 514 },
      { model: "openai/two", requests: 0, inputTokens: 1, outputTokens: 2, costMicroUsd: 3 },
    ]);
  });

  it("put usage that no attempt accounts for under the request's own model", () => {
    const usage = { inputTokens: 11, outputTokens: 22, estimated: false };
    expect(usageEntriesOf({ attempts: [attempt("one", {})], usage, costMicroUsd: 9 })).toEqual([
      { ...request, inputTokens: 11, outputTokens: 22, costMicroUsd: 9 },
    ]);
    expect(usageEntriesOf({ attempts: [], usage: null, costMicroUsd: 0 })).toEqual([request]);
  });

  it("say no money where one price of the call is unknown, as its record does", () => {
    const attempts = [
      attempt("one", { fault: "empty", ...used(1, 0), costMicroUsd: 5 }),
      attempt("two", { ...used(1, 2), costMicroUsd: null }),
    ];
    const usage = { inputTokens: 2, outputTokens: 2, estimated: false };
    const booked = usageEntriesOf({ attempts, usage, costMicroUsd: null });
    expect(booked.map(({ costMicroUsd }) => costMicroUsd)).toEqual([0, 0, 0]);
  });
});
