/**
 * Meaning of providers' error statuses and codes, each with its source. The first matching row wins; a
 * provider's own rows precede the common ones. `request-rows.ts` covers rejected requests.
 */
import { cloudFaultRows } from "./clouds/cloud-fault-rows.ts";
import { gatewayRows, hostRows } from "./host-fault-rows.ts";
import { free, refusedRequest, rowsOf, type Row } from "./fault-row.ts";
import { requestRows } from "./request-rows.ts";

const openaiErrors = "https://platform.openai.com/docs/guides/error-codes";
const anthropicErrors = "https://platform.claude.com/docs/en/api/errors";
const anthropicLimits = "https://platform.claude.com/docs/en/api/rate-limits";
const googleErrors = "https://ai.google.dev/gemini-api/docs/troubleshooting";
const openrouterErrors = "https://openrouter.ai/docs/api/reference/errors-and-debugging";
const rfc = "https://www.rfc-editor.org/rfc/rfc9110";

const auth = { kind: "auth", reach: "credential", retryable: true } as const;
/** No credit, a spend limit, or a blocked account: waiting doesn't help, but another credential can. */
const noMoney = { kind: "rate_limit", reach: "credential", retryable: true } as const;
const limited = { kind: "rate_limit", reach: "model", retryable: true } as const;
const unknownModel = { kind: "invalid_request", reach: "model", retryable: true } as const;
const overloaded = { kind: "server", reach: "model", retryable: true } as const;
const brokenEndpoint = { kind: "server", reach: "endpoint", retryable: true } as const;

const openai = rowsOf({ providers: ["openai"], ...free.openai }, [
  {
    ...noMoney,
    status: 429,
    names: ["insufficient_quota", "billing_not_active"],
    code: "no_credit",
    source: openaiErrors,
  },
  {
    ...noMoney,
    status: 400,
    names: ["billing_hard_limit_reached"],
    code: "spend_limit",
    source: "https://github.com/dfinke/PowerShellAI/issues/127",
  },
  {
    ...auth,
    status: 401,
    names: ["account_deactivated"],
    code: "account_blocked",
    source: "https://github.com/nat/openplayground/issues/143",
  },
  {
    ...auth,
    status: 403,
    names: ["unsupported_country_region_territory"],
    reach: "endpoint",
    code: "country_not_supported",
    source: openaiErrors,
  },
  {
    ...unknownModel,
    status: 403,
    names: ["model_not_found"],
    code: "model_not_allowed",
    source: "https://github.com/continuedev/continue/issues/10120",
  },
  // Limits are per model, organization, and project.
  {
    ...limited,
    status: 429,
    code: "rate_limited",
    source: "https://platform.openai.com/docs/guides/rate-limits",
  },
]);

const anthropic = rowsOf({ providers: ["anthropic"], ...free.anthropic }, [
  {
    ...noMoney,
    status: 400,
    says: "your credit balance is too low",
    code: "no_credit",
    source: "https://github.com/anthropics/claude-code/issues/4207",
  },
  {
    ...noMoney,
    status: 400,
    says: "you have reached your specified api usage limits",
    code: "spend_limit",
    source: anthropicLimits,
  },
  {
    ...noMoney,
    status: 400,
    says: "you have reached your specified workspace api usage limits",
    code: "spend_limit",
    source: anthropicLimits,
  },
  {
    ...noMoney,
    status: 429,
    names: ["enforced_spend_limit_reached"],
    code: "spend_limit",
    source: anthropicLimits,
  },
  // Limits are per class of models and organization.
  {
    ...limited,
    status: 429,
    code: "rate_limited",
    source: anthropicLimits,
  },
  {
    ...overloaded,
    status: { from: 500, to: 599 },
    names: ["overloaded_error"],
    code: "overloaded",
    source: anthropicErrors,
  },
]);

const google = rowsOf({ providers: ["google"], ...free.google }, [
  {
    ...auth,
    status: 400,
    names: ["api_key_invalid"],
    code: "invalid_key",
    source: "https://github.com/continuedev/continue/issues/9251",
  },
  // No free tier in the account's country: billing must be enabled.
  {
    ...auth,
    status: 400,
    names: ["failed_precondition"],
    code: "country_not_supported",
    source: googleErrors,
  },
  // Limits are per model and project.
  {
    ...limited,
    status: 429,
    code: "rate_limited",
    source: "https://ai.google.dev/gemini-api/docs/rate-limits",
  },
  {
    ...overloaded,
    status: 503,
    says: "overloaded",
    code: "overloaded",
    source: googleErrors,
  },
  {
    ...overloaded,
    status: 503,
    says: "high demand",
    code: "overloaded",
    source: googleErrors,
  },
]);

const compatible = rowsOf(free.others, [
  ...hostRows,
  {
    ...refusedRequest,
    providers: ["openrouter"],
    status: 403,
    says: "flagged",
    code: "content_filter",
    billed: "maybe",
    source: openrouterErrors,
  },
  // At OpenRouter, these mean that the model is down, or that no upstream provider meets the request's requirements.
  {
    ...overloaded,
    providers: ["openrouter"],
    status: { from: 502, to: 503 },
    code: "overloaded",
    source: openrouterErrors,
  },
  {
    ...unknownModel,
    providers: ["openrouter"],
    status: 403,
    code: "model_not_allowed",
    source: openrouterErrors,
  },
  {
    ...overloaded,
    providers: ["groq"],
    status: 498,
    code: "overloaded",
    source: "https://console.groq.com/docs/flex-processing",
  },
  {
    ...unknownModel,
    providers: ["together"],
    status: 403,
    code: "model_not_allowed",
    source: "https://docs.together.ai/docs/error-codes",
  },
  {
    ...noMoney,
    providers: ["fireworks"],
    status: 412,
    code: "account_blocked",
    source: "https://docs.fireworks.ai/guides/inference-error-codes",
  },
]);

const common = rowsOf(free.others, [
  { ...auth, status: 401, code: "invalid_key", source: rfc },
  {
    ...noMoney,
    status: 402,
    code: "no_credit",
    source: "https://api-docs.deepseek.com/quick_start/error_codes",
  },
  { ...unknownModel, status: 403, namesModel: true, code: "model_not_allowed", source: rfc },
  { ...auth, status: 403, source: rfc },
  { ...unknownModel, status: 404, code: "model_not_found", source: rfc },
  { ...unknownModel, status: 410, code: "model_not_found", source: rfc },
  {
    ...noMoney,
    status: 429,
    names: ["insufficient_quota"],
    code: "no_credit",
    source: openaiErrors,
  },
  {
    ...limited,
    status: 429,
    code: "rate_limited",
    source: "https://console.groq.com/docs/rate-limits",
  },
  { ...brokenEndpoint, kind: "timeout", status: 408, source: rfc },
  { ...brokenEndpoint, status: 409, source: rfc },
  { ...brokenEndpoint, status: 425, source: rfc },
  { ...overloaded, status: 529, code: "overloaded", source: anthropicErrors },
  // "Server overloaded", "Engine overloaded" of DeepSeek, Together, and vLLM.
  {
    ...overloaded,
    status: 503,
    says: "overloaded",
    code: "overloaded",
    source: "https://docs.together.ai/docs/error-codes",
  },
  { ...brokenEndpoint, status: { from: 500, to: 599 }, source: rfc },
  // Often specific to one wire, so another wire is tried. If that rejects it too, the request itself is invalid.
  {
    ...refusedRequest,
    status: { from: 400, to: 499 },
    source: rfc,
  },
]);

export const faultRows: readonly Row[] = [
  ...gatewayRows,
  ...cloudFaultRows,
  ...openai,
  ...anthropic,
  ...google,
  ...compatible,
  ...requestRows,
  ...common,
];
