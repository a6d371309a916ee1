/** The headers that say how limits stand. */
import { expect, it } from "vitest";
import { limitHeaders } from "../../../src/mcp/refusal-headers.ts";

const rate = { name: "key.requestsPerMinute", limit: 5, used: 1, remaining: 4, windowSeconds: 60 };

it("name no time beyond the window, even where the last second ends after it", () => {
  const headers = limitHeaders([{ ...rate, resetSeconds: 61 }], null);
  expect(headers).toEqual({
    "RateLimit-Policy": '"key.requestsPerMinute";q=5;w=60',
    RateLimit: '"key.requestsPerMinute";r=4;t=60',
  });
});

it("say exactly when a refused call may come again", () => {
  const refusal = {
    reason: "rate_limited",
    limit: "key.requestsPerMinute",
    retryAfterMs: 60_800,
  } as const;
  expect(limitHeaders([], refusal)).toEqual({ "Retry-After": "61" });
});
