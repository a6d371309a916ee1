/** The meaning of providers' errors, each as the provider sends it. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultCodes } from "../../../src/domain/attempts.ts";
import type { JsonValue } from "../../../src/domain/json.ts";
import { meaningOf } from "../../../src/providers/fault-reach.ts";
import { faultRows } from "../../../src/providers/fault-rows.ts";

const openai = (code: string | null, message = "", type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message = "", details: JsonValue = null) => ({
  type: "error",
  error: { type, message, details },
  request_id: "req_1",
});
const google = (code: number, status: string, message = "", reason?: string) => ({
  error: {
    code,
    status,
    message,
    details:
      reason === undefined ? [] : [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }],
  },
});

const means = (provider: string, status: number, body?: JsonValue) => {
  const { kind, reach, retryable, code } = meaningOf({ provider, model: "m-1", status, body });
  return [kind, reach, retryable, code ?? null];
};

describe("an error of", () => {
  it.each([
    [401, openai("invalid_api_key"), ["auth", "credential", true, "invalid_key"]],
    [401, openai("account_deactivated"), ["auth", "credential", true, "account_blocked"]],
    [
      403,
      openai("unsupported_country_region_territory", "", "request_forbidden"),
      ["auth", "endpoint", true, "country_not_supported"],
    ],
    [
      403,
      openai("model_not_found", "Project `proj_1` does not have access to model `m-1`"),
      ["invalid_request", "model", true, "model_not_allowed"],
    ],
    [404, openai("model_not_found"), ["invalid_request", "model", true, "model_not_found"]],
    [
      429,
      openai("insufficient_quota", "", "insufficient_quota"),
      ["rate_limit", "credential", true, "no_credit"],
    ],
    // Older answers have the code in the type alone.
    [429, openai(null, "", "insufficient_quota"), ["rate_limit", "credential", true, "no_credit"]],
    [
      429,
      openai("rate_limit_exceeded", "", "tokens"),
      ["rate_limit", "model", true, "rate_limited"],
    ],
    [400, openai("billing_hard_limit_reached"), ["rate_limit", "credential", true, "spend_limit"]],
    [400, openai("context_length_exceeded"), ["invalid_request", "model", false, null]],
    [500, openai(null, "", "server_error"), ["server", "endpoint", true, null]],
    [503, openai(null, "Slow Down"), ["server", "endpoint", true, null]],
    [
      503,
      openai(null, "The engine is currently overloaded"),
      ["server", "model", true, "overloaded"],
    ],
  ] as const)("OpenAI, %i %j", (status, body, meaning) => {
    expect(means("openai", status, body)).toEqual(meaning);
  });

  it.each([
    [
      400,
      anthropic("invalid_request_error", "Your credit balance is too low to access the API."),
      ["rate_limit", "credential", true, "no_credit"],
    ],
    [
      400,
      anthropic("invalid_request_error", "You have reached your specified API usage limits. You…"),
      ["rate_limit", "credential", true, "spend_limit"],
    ],
    [
      400,
      anthropic(
        "invalid_request_error",
        "You have reached your specified workspace API usage limits.",
      ),
      ["rate_limit", "credential", true, "spend_limit"],
    ],
    [
      400,
      anthropic("invalid_request_error", "max_tokens: 99 > 9"),
      ["invalid_request", "model", false, null],
    ],
    [401, anthropic("authentication_error"), ["auth", "credential", true, "invalid_key"]],
    [402, anthropic("billing_error"), ["rate_limit", "credential", true, "no_credit"]],
    [403, anthropic("permission_error"), ["auth", "credential", true, null]],
    [
      403,
      anthropic("permission_error", "Your key may not use m-1."),
      ["invalid_request", "model", true, "model_not_allowed"],
    ],
    [404, anthropic("not_found_error"), ["invalid_request", "model", true, "model_not_found"]],
    [429, anthropic("rate_limit_error"), ["rate_limit", "model", true, "rate_limited"]],
    [
      429,
      anthropic("rate_limit_error", "", { error_code: "enforced_spend_limit_reached" }),
      ["rate_limit", "credential", true, "spend_limit"],
    ],
    [500, anthropic("api_error"), ["server", "endpoint", true, null]],
    [529, anthropic("overloaded_error"), ["server", "model", true, "overloaded"]],
    [503, anthropic("overloaded_error"), ["server", "model", true, "overloaded"]],
  ] as const)("Anthropic, %i %j", (status, body, meaning) => {
    expect(means("anthropic", status, body)).toEqual(meaning);
  });

  it.each([
    [
      400,
      google(400, "INVALID_ARGUMENT", "API key not valid.", "API_KEY_INVALID"),
      ["auth", "credential", true, "invalid_key"],
    ],
    [
      400,
      google(400, "FAILED_PRECONDITION", "Gemini API free tier is not available in your country."),
      ["auth", "credential", true, "country_not_supported"],
    ],
    [400, google(400, "INVALID_ARGUMENT"), ["invalid_request", "model", false, null]],
    [403, google(403, "PERMISSION_DENIED"), ["auth", "credential", true, null]],
    [404, google(404, "NOT_FOUND"), ["invalid_request", "model", true, "model_not_found"]],
    [429, google(429, "RESOURCE_EXHAUSTED"), ["rate_limit", "model", true, "rate_limited"]],
    // Some of Google's errors are lists of one.
    [429, [google(429, "RESOURCE_EXHAUSTED")], ["rate_limit", "model", true, "rate_limited"]],
    [500, google(500, "INTERNAL"), ["server", "endpoint", true, null]],
    [
      503,
      google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
      ["server", "model", true, "overloaded"],
    ],
    [503, google(503, "UNAVAILABLE", "The service is down."), ["server", "endpoint", true, null]],
  ] as const)("Google, %i %j", (status, body, meaning) => {
    expect(means("google", status, body as JsonValue)).toEqual(meaning);
  });

  it.each([
    ["openrouter", 402, ["rate_limit", "credential", true, "no_credit"]],
    ["openrouter", 403, ["invalid_request", "model", true, "model_not_allowed"]],
    ["openrouter", 502, ["server", "model", true, "overloaded"]],
    ["groq", 498, ["server", "model", true, "overloaded"]],
    ["together", 403, ["invalid_request", "model", true, "model_not_allowed"]],
    ["fireworks", 412, ["rate_limit", "credential", true, "account_blocked"]],
    ["deepseek", 402, ["rate_limit", "credential", true, "no_credit"]],
    ["my-own", 408, ["timeout", "endpoint", true, null]],
    ["my-own", 429, ["rate_limit", "model", true, "rate_limited"]],
    ["my-own", 502, ["server", "endpoint", true, null]],
    ["my-own", 498, ["invalid_request", "model", false, null]],
  ] as const)("%s, %i", (provider, status, meaning) => {
    expect(means(provider, status)).toEqual(meaning);
  });
});

describe("the table", () => {
  it("names a page for each row, and only codes of the list", () => {
    for (const { source, code } of faultRows) {
      expect(source).toMatch(/^https:\/\//);
      if (code !== undefined) expect(faultCodes).toContain(code);
    }
  });

  it("has a meaning for every error status and any body, and passes on none of its text", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 400, max: 599 }),
        fc.constantFrom("openai", "anthropic", "google", "openrouter", "other"),
        fc.jsonValue(),
        (status, provider, body) => {
          const { kind, reach, retryable, code, ...rest } = meaningOf({
            provider,
            model: "m",
            status,
            body: body as JsonValue,
          });
          expect(rest).toEqual({});
          expect(code === undefined || faultCodes.includes(code)).toBe(true);
          expect([typeof kind, typeof reach]).toEqual(["string", "string"]);
          if (status >= 500) expect(retryable).toBe(true);
        },
      ),
    );
  });
});
