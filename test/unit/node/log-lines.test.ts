/** Each event is one log line, as JSON or as readable text. */
import { expect, it } from "vitest";
import { lineOf } from "../../../src/node/log-lines.ts";

const at = new Date(2026, 10, 22, 9, 5, 7);
const sampling = {
  event: "sampling",
  requestId: "req_1",
  outcome: "succeeded",
  reason: null,
  provider: "openai",
  model: "gpt-4.1-mini",
  attempts: [{ provider: "openai" }],
  inputTokens: 11,
  outputTokens: 17,
  costUsd: 0.0012,
  timingMs: { auth: 1 },
  totalMs: 340,
  traceId: null,
};

it("is JSON for machines", () => {
  expect(JSON.parse(lineOf(sampling, "json", at))).toEqual(sampling);
});

it("is one readable line a request for a person", () => {
  expect(lineOf(sampling, "pretty", at)).toBe(
    "09:05:07  sampling  succeeded  openai/gpt-4.1-mini  340 ms  11+17 tokens  0.0012 USD  req_1",
  );
});

it("says why a request was refused", () => {
  const refused = {
    ...sampling,
    outcome: "refused",
    reason: "rate_limited",
    provider: null,
    model: null,
    inputTokens: null,
    outputTokens: null,
    costUsd: null,
  };
  expect(lineOf(refused, "pretty", at)).toBe(
    "09:05:07  sampling  refused  rate_limited  340 ms  req_1",
  );
});

it("names what there is of every other event", () => {
  const entry = { event: "scheduled", job: "sweep", changed: 2, database: null };
  expect(lineOf(entry, "pretty", at)).toBe("09:05:07  scheduled  job=sweep  changed=2");
});

it("is one line whatever a value holds", () => {
  const line = lineOf({ event: "undelivered", text: "a\nb\u001b[2J\u2028" }, "pretty", at);
  expect(line).toBe(String.raw`09:05:07  undelivered  text=a\u{a}b\u{1b}[2J\u{2028}`);
});
