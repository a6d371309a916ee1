/** A repetition of a streamed call gets the whole answer, or a refusal that names the first request. */
import { expect, it } from "vitest";
import { err, ok } from "../../../../../src/domain/result.ts";
import { keptOfStream } from "../../../../../src/pipeline/sampling/streams/kept-answers.ts";

it("keeps a complete answer of up to 1 MB, and of any other one the id", () => {
  const first = err({ reason: "idempotency_conflict", first: "req_1" });
  const saying = (text: string, more: { isOversized?: true } = {}) => {
    const content = [{ type: "text" as const, text }];
    return ok({ answer: { content, model: "a/b", stopReason: "endTurn", ...more }, decision: {} });
  };
  expect(keptOfStream(saying("short"), "req_1")).toEqual(saying("short"));
  expect(keptOfStream(saying("x".repeat(1_000_001)), "req_1")).toEqual(first);
  expect(keptOfStream(saying("short", { isOversized: true }), "req_1")).toEqual(first);
  expect(keptOfStream(err({ reason: "cancelled" }), "req_1")).toEqual(first);
});
