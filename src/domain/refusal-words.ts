import type { AttemptSummary, FaultCode } from "./attempts.ts";
import { exclusionWords } from "./exclusion-words.ts";
import { networkWords } from "./network-fault.ts";
import { refusalTable, type Refusal } from "./refusals.ts";
import type { ExclusionReason } from "./requirements.ts";

const explainNeeded = ({
  server,
  url,
  scopes,
}: Extract<Refusal, { reason: "authorization_needed" }>): string =>
  scopes === undefined
    ? `connect your own account at ${server} once, at ${url}`
    : `${server} wants you to allow more (${scopes.join(" ")}). Connect your account anew, at ${url}`;

function explainNoModel({
  cause,
  candidates,
  requirements: { passing },
}: Extract<Refusal, { reason: "no_eligible_model" }>): string {
  switch (cause) {
    case "no_credential":
      return "the tenant has no credential of a provider; create one";
    case "no_known_model":
      return "the tenant's credentials serve no model that the router knows; declare `models` in a credential";
    case "all_excluded": {
      const counts = new Map<ExclusionReason, number>();
      const named = candidates.filter(({ excludedBy }) => excludedBy !== "not_named");
      if (named.length === 0) return "the tenant has no model of that name";
      for (const { excludedBy } of named) counts.set(excludedBy, (counts.get(excludedBy) ?? 0) + 1);
      const listed = [...counts].map(
        ([reason, count]) => `${count} by ${reason} (${exclusionWords[reason]})`,
      );
      const lost = counts.has("not_translatable") ? `; it has ${passing?.losses.join(", ")}` : "";
      return `every model is excluded, ${listed.join(", ")}${lost}`;
    }
  }
}

/** Rounded up, so that a retry after the wait is not too early. */
function waitInWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  if (seconds >= 172_800) return `${Math.ceil(seconds / 86_400)} days`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

type OfLimit = Extract<Refusal, { reason: "rate_limited" | "budget_exceeded" }>;

/** When a full limit has room again; null: the request exceeds the limit itself. */
function roomInWords({ limit, retryAfterMs, usedUp }: OfLimit): string | null {
  if (retryAfterMs !== null) return `room in ${waitInWords(retryAfterMs)}`;
  if (usedUp === undefined) return null;
  return limit.startsWith("run.")
    ? "a run gets no more: begin another run, or raise the limit"
    : "a total never begins anew: raise the limit";
}

function explainBudget(refusal: Extract<Refusal, { reason: "budget_exceeded" }>): string {
  const { limit, limitUsd, usedUsd, neededUsd } = refusal;
  const room = roomInWords(refusal);
  return room === null
    ? `${limit} of ${limitUsd} USD is smaller than this one request needs, up to ${neededUsd} USD: lower maxTokens, or raise the limit`
    : `${limit} is ${limitUsd} USD, of which ${usedUsd} USD are used or reserved; this request needs up to ${neededUsd} USD; ${room}`;
}

const howToDeclare =
  'the client declares it in the capabilities of initialize, or in _meta "io.modelcontextprotocol/clientCapabilities" of its request';

function explainRate(refusal: Extract<Refusal, { reason: "rate_limited" }>): string {
  const { limit, usedUp } = refusal;
  const room = roomInWords(refusal);
  if (room === null) return `${limit} is smaller than this one request needs`;
  return usedUp === undefined ? `${limit}, ${room}` : `${limit} has too little left; ${room}`;
}

const causeWords = {
  full: "the tenant's database is full; the oldest content and sealed records are deleted meanwhile, and a shorter retentionDays or contentRetentionDays makes more room",
  unreleased: "an unreleased version made the database; use an empty one",
  replaced: "the router's database was deleted or replaced; its operator has to restore it",
};

/** Cause and remedy, where the HTTP status is not enough. */
const codeWords: { readonly [C in FaultCode]?: string } = {
  no_credit:
    "the credit of its account is used up: add credit there, or use a credential of another account",
  spend_limit:
    "the spend limit of its account is reached: raise it there, or use a credential of another account",
  account_blocked: "its account is blocked: settle that with the provider",
  country_not_supported: "the provider does not serve the country that the router calls from",
  model_not_found: "the provider does not know the model",
  model_not_allowed: "its account may not use the model",
  context_length: "the request has more tokens than the model's context: shorten it",
  content_filter:
    "a content filter refused the request or its answer: change the content, or allow other providers with policy.afterContentFilter",
  tool_use_failed: "the model wrote a tool use that its provider can't read: send the call again",
  tool_name:
    "the provider refuses a name in tools: use A-Z, a-z, 0-9, _ and -, 64 characters at most",
  tool_schema: "the provider refuses an inputSchema in tools: simplify it",
  tool_id: "the provider refuses an id of a tool use in messages",
  tool_count: "the provider refuses so many tools: send fewer",
  message_order: "the provider refuses the order of messages, or a tool use without its result",
  prefill: "the model can't continue a last message of the assistant: end with one of the user",
  empty_text: "the provider refuses an empty text in messages: leave it out",
  image: "the provider refuses an image in messages: its format or its size",
  max_tokens: "the provider refuses maxTokens: lower it",
  temperature: "the provider refuses temperature: lower it, or leave it out",
};

function explainAttempt(attempt: AttemptSummary): string {
  const { provider, model, status, fault, code, network } = attempt;
  if (fault === "unopenable")
    return `the stored key of ${provider} can't be opened, because its credential was changed outside of the API or MASTER_KEY is another; send the credential's apiKey and baseUrl anew`;
  if (fault === "empty") return `${provider}/${model} answered without any text`;
  if (fault === "invalid_request" && status === null)
    return `nothing was sent to ${provider}/${model}, since its provider has no place for something in the request, such as a format of audio`;
  if (network !== undefined) return `${provider} at ${networkWords(network)}`;
  if (status === null)
    return `${provider} can't be reached at its credential's address, or broke off`;
  const words = code === undefined ? undefined : codeWords[code];
  if (words !== undefined) return `${provider}/${model}: ${words} (HTTP ${status})`;
  if (status === 401 || status === 403)
    return `${provider} refuses the key of its credential (HTTP ${status})`;
  if (status === 429) return `${provider} takes no more calls for now (HTTP 429)`;
  if (status === 400 || status === 413 || status === 422)
    return `${provider}/${model} refuses the request, for a reason that the router doesn't know (HTTP ${status})`;
  return status === 200
    ? `${provider}/${model} answered with what can't be used`
    : `${provider}/${model} answered with HTTP ${status}`;
}

function explainFailure(attempts: readonly AttemptSummary[]): string {
  const last = attempts.at(-1);
  if (last === undefined) return "";
  const many = attempts.length > 1 ? ` (the last of ${attempts.length} attempts)` : "";
  return `: ${explainAttempt(last)}${many}`;
}

function explainUnavailable(refusal: Extract<Refusal, { reason: "unavailable" }>): string {
  if (refusal.cause === "resting")
    return `: ${refusal.models.join(", ")} failed lately, or asked to be left alone; tried again in ${waitInWords(refusal.retryAfterMs)}`;
  if (refusal.cause === "identity_provider") return `: ${refusal.detail}`;
  return refusal.cause === undefined ? "" : `: ${causeWords[refusal.cause]}`;
}

/** One sentence of names, numbers and paths, without content, keys or headers. */
export function explain(refusal: Refusal): string {
  const { title } = refusalTable[refusal.reason];
  switch (refusal.reason) {
    case "invalid_params":
      return `${title}: ${refusal.path === "" ? "" : `${refusal.path}: `}${refusal.detail}`;
    case "invalid_request":
    case "bad_request":
    case "unauthorized":
    case "server_failed":
    case "server_timeout":
    case "server_unauthorized":
    case "loop_detected":
    case "conflict":
      return `${title}: ${refusal.detail}`;
    case "authorization_needed":
      return `${title}: ${explainNeeded(refusal)}`;
    case "no_eligible_model":
      return `${title}: ${explainNoModel(refusal)}`;
    case "budget_exceeded":
      return `${title}: ${explainBudget(refusal)}`;
    case "session_required":
      return `${title}: begin with initialize; or send one request without a session, with MCP-Protocol-Version: 2026-07-28`;
    case "rate_limited":
      return `${title}: ${explainRate(refusal)}`;
    case "method_not_found":
      return `${title}: ${refusal.method}`;
    case "unsupported_protocol_version":
      return `${title}: ${refusal.requested}; supported: ${refusal.supported.join(", ")}`;
    case "header_mismatch":
      return `${title}: ${refusal.header} ${refusal.missing ? "is missing" : "differs from the body"}`;
    case "not_found":
    case "unreadable":
      return `${title}: ${refusal.what}`;
    case "forbidden":
      return `${title}: ${refusal.action}`;
    case "stopped":
      return `${title}: the ${refusal.what} ${refusal.name}: ${refusal.why}`;
    case "origin_not_allowed":
      return `${title}: ALLOWED_ORIGINS names who may call; PUBLIC_URL names the router's own`;
    case "precondition_failed":
      return `${title}: read it again, and change what it says now`;
    case "method_not_allowed":
      return `${title}: use ${refusal.allow}`;
    case "not_acceptable":
      return `${title}: send Accept: ${refusal.accept}`;
    case "unsupported_media_type":
      return `${title}: send Content-Type: ${refusal.expected}`;
    case "payload_too_large":
      return `${title}: at most ${refusal.limitBytes} bytes`;
    case "unavailable":
      return `${title}${explainUnavailable(refusal)}`;
    case "provider_failed":
    case "provider_timeout":
      return `${title}${explainFailure(refusal.attempts)}`;
    case "capability_missing":
      return `${title}: ${JSON.stringify(refusal.requiredCapabilities)}; ${refusal.detail ?? howToDeclare}`;
    default:
      return title;
  }
}
