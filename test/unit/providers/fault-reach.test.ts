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
const billed = (provider: string, status: number, body?: JsonValue) =>
  meaningOf({ provider, model: "m-1", status, body }).billed;
/** What a provider refuses of a request. */
const refusal = (provider: string, status: number, body?: JsonValue) => {
  const [kind, reach, retryable, code] = means(provider, status, body);
  expect([kind, reach, retryable]).toEqual(["invalid_request", "request", true]);
  return [code, billed(provider, status, body)];
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
    [400, openai(null), ["invalid_request", "request", true, null]],
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
    [400, anthropic("invalid_request_error"), ["invalid_request", "request", true, null]],
    [413, anthropic("request_too_large"), ["invalid_request", "request", true, null]],
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
    [400, google(400, "INVALID_ARGUMENT"), ["invalid_request", "request", true, null]],
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
    ["my-own", 498, ["invalid_request", "request", true, null]],
    ["my-own", 422, ["invalid_request", "request", true, null]],
  ] as const)("%s, %i", (provider, status, meaning) => {
    expect(means(provider, status)).toEqual(meaning);
  });
});

describe("a request that a provider refuses", () => {
  const says = (message: string) => anthropic("invalid_request_error", message);

  it.each([
    ["openai", 400, openai("context_length_exceeded"), "no"],
    ["anthropic", 400, says("prompt is too long: 210000 tokens > 200000 maximum"), "no"],
    [
      "google",
      400,
      google(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number"),
      "no",
    ],
    ["my-azure", 400, openai("context_length_exceeded"), "maybe"],
    ["my-vllm", 400, { message: "This model's maximum context length is 8192 tokens." }, "no"],
    ["together", 422, openai(null, "`inputs` tokens + `max_new_tokens` must be <= 4097"), "no"],
  ] as const)("%s, %i, is too long for the model", (provider, status, body, cost) => {
    expect(refusal(provider, status, body)).toEqual(["context_length", cost]);
  });

  it.each([
    ["openai", 400, openai("content_policy_violation")],
    ["openai", 400, openai("invalid_prompt", "flagged as potentially violating our usage policy.")],
    ["anthropic", 400, says("Output blocked by content filtering policy")],
    ["my-azure", 400, openai("content_filter", "The response was filtered")],
    ["deepseek", 400, openai("invalid_request_error", "Content Exists Risk")],
    ["openrouter", 403, { error: { code: 403, message: "Your input was flagged" } }],
  ] as const)("%s, %i, by a filter, may have been billed", (provider, status, body) => {
    expect(refusal(provider, status, body)).toEqual(["content_filter", "maybe"]);
  });

  it("Groq, because of what its own model wrote, is the model's fault, and may have been billed", () => {
    const slips = { tool_use_failed: "wrong_tool_use", json_validate_failed: "not_json" };
    for (const [name, kind] of Object.entries(slips)) {
      const body = openai(name, "Failed to call a function.");
      const code = name === "tool_use_failed" ? name : null;
      expect(means("groq", 400, body)).toEqual([kind, "model", true, code]);
      expect(billed("groq", 400, body)).toBe("maybe");
    }
  });

  it.each([
    ["tool_name", "Invalid 'tools[0].function.name': string does not match pattern."],
    ["tool_name", "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"],
    ["tool_name", "* GenerateContentRequest.tools[0]: Invalid function name. Must start with…"],
    ["tool_schema", "tools.3.custom.input_schema: input_schema does not support oneOf"],
    ["tool_schema", "tools[0].function_declarations[2].parameters.properties: should be non-empty"],
    ["tool_count", "Invalid 'tools': array too long. Expected an array with maximum length 128"],
    ["message_order", "An assistant message with 'tool_calls' must be followed by tool messages"],
    ["message_order", "Unexpected role 'user' after role 'tool'"],
    ["message_order", "Conversation roles must alternate user/assistant/user/assistant/..."],
    ["tool_id", "messages.1.content.0.tool_use.id: String should match pattern"],
    ["tool_id", "Invalid 'messages[1].tool_calls[0].id': string too long."],
    ["tool_id", "Tool call id was toolu_01 but must be a-z, A-Z, 0-9, with a length of 9."],
    ["prefill", "This model does not support assistant message prefill."],
    ["prefill", "Expected last role User or Tool for serving but got assistant"],
    ["empty_text", "messages: text content blocks must be non-empty"],
    ["image", "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum"],
    ["max_tokens", "max_tokens: 99 > 9"],
    ["temperature", "temperature: range: -1..1"],
  ])("names what it refuses: %s, %s", (code, message) => {
    expect(refusal("my-own", 400, says(message))).toEqual([code, "no"]);
  });
});

describe("the table", () => {
  it("names a page for each row, and only codes of the list", () => {
    for (const { source, code, billed: cost, billedBy } of faultRows) {
      expect(source).toMatch(/^https:\/\//);
      expect(billedBy).toMatch(/^https:\/\//);
      expect(["no", "maybe"]).toContain(cost);
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
          const {
            kind,
            reach,
            retryable,
            billed: cost,
            code,
            ...rest
          } = meaningOf({
            provider,
            model: "m",
            status,
            body: body as JsonValue,
          });
          expect(rest).toEqual({});
          expect(code === undefined || faultCodes.includes(code)).toBe(true);
          expect([typeof kind, typeof reach]).toEqual(["string", "string"]);
          expect(["no", "maybe"]).toContain(cost);
          if (status >= 500) expect(retryable).toBe(true);
        },
      ),
    );
  });
});
