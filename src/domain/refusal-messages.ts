import type { AttemptSummary, FaultCode } from "./attempts.ts";
import { exclusionMessages } from "./exclusion-messages.ts";
import { networkMessage } from "./network-fault.ts";
import { printableName } from "./printable.ts";
import { refusalTable, type Reason, type Refusal } from "./refusals.ts";
import type { ExclusionReason } from "./requirements.ts";

const explainNeeded = ({
  server,
  url,
  scopes,
}: Extract<Refusal, { reason: "authorization_needed" }>): string =>
  scopes === undefined
    ? `connect your account at ${server}: open ${url}`
    : `${server} needs more permissions (${scopes.join(" ")}): reconnect your account at ${url}`;

function explainNoModel({
  cause,
  candidates,
  requirements: { passing, model = "" },
}: Extract<Refusal, { reason: "no_eligible_model" }>): string {
  switch (cause) {
    case "no_credential":
      return "the tenant has no provider credential: add one";
    case "no_known_model":
      return "the tenant's credentials serve no known model: declare `models` in a credential";
    case "all_excluded": {
      const counts = new Map<ExclusionReason, number>();
      const named = candidates.filter(({ excludedBy }) => excludedBy !== "not_named");
      if (named.length === 0) return `the tenant has no model named "${printableName(model)}"`;
      for (const { excludedBy } of named) counts.set(excludedBy, (counts.get(excludedBy) ?? 0) + 1);
      const listed = [...counts].map(
        ([reason, count]) => `${count} by ${reason} (${exclusionMessages[reason]})`,
      );
      const lost = counts.has("not_translatable")
        ? `; untranslatable parameters: ${passing?.losses.join(", ")}`
        : "";
      return `all models are excluded: ${listed.join(", ")}${lost}`;
    }
  }
}

/** Rounded up, so that a retry after the wait is not too early. */
function formatWait(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  if (seconds >= 172_800) return `${Math.ceil(seconds / 86_400)} days`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

type OfLimit = Extract<Refusal, { reason: "rate_limited" | "budget_exceeded" }>;

function retryMessage({ limit, retryAfterMs, usedUp }: OfLimit): string | null {
  if (retryAfterMs !== null) return `try again in ${formatWait(retryAfterMs)}`;
  if (usedUp === undefined) return null;
  return limit.startsWith("run.")
    ? "the limit of a run does not reset: start another run, or raise the limit"
    : "a total does not reset: raise the limit";
}

function explainBudget(refusal: Extract<Refusal, { reason: "budget_exceeded" }>): string {
  const { limit, limitUsd, usedUsd, neededUsd } = refusal;
  const room = retryMessage(refusal);
  return room === null
    ? `${limit} of ${limitUsd} USD is less than this request needs (at least ${neededUsd} USD): lower maxTokens, or raise the limit`
    : `${limit} is ${limitUsd} USD, with ${usedUsd} USD used or reserved; this request needs at least ${neededUsd} USD; ${room}`;
}

const howToDeclare =
  'declare it in the capabilities of initialize, or in _meta "io.modelcontextprotocol/clientCapabilities" of the request';

function explainRate(refusal: Extract<Refusal, { reason: "rate_limited" }>): string {
  const { limit, usedUp } = refusal;
  const room = retryMessage(refusal);
  if (room === null)
    return `${limit} is smaller than this request: reduce the request, or raise the limit`;
  return usedUp === undefined ? `${limit}; ${room}` : `${limit} is used up; ${room}`;
}

const causeTexts = {
  full: "the tenant's database is full. Data in `policy.earlyDeletion` is deleted automatically; shorten retentionDays or contentRetentionDays to free more space",
  unreleased: "the database was created by an unreleased version: use an empty one",
  replaced: "the router's database was deleted or replaced: the operator has to restore it",
};

const codeTexts: { readonly [C in FaultCode]?: string } = {
  token_refused:
    "the cloud's token server rejects the credential: check its tenant, client, and secret",
  gateway_refused: "the gateway rejects the credential's headers, for example cf-aig-authorization",
  token_unreachable: "the cloud's token server can't be reached",
  wrong_clock:
    "the cloud rejects the time of the request: correct the clock of the router's machine",
  wrong_signature: "AWS rejects the signature: check secretAccessKey",
  role_refused:
    "AWS doesn't let the router assume the role: its trust policy needs the router's identity and the credential's externalId",
  no_aws_identity:
    "the router has no identity at AWS to assume a role with: the operator can set ASSUME_ROLE_ACCESS_KEY_ID or ASSUME_ROLE_WITH_HOST_IDENTITY",
  no_host_identity:
    "the router's machine has no identity at the cloud, or the operator doesn't allow the tenant to use it (HOST_IDENTITY_TENANTS)",
  needs_profile: "the model needs an inference profile: set the credential's geography",
  access_denied: "the credential's identity lacks a role or permission: grant it at the cloud",
  no_credit: "the account has no credit left: add credit, or use another account's credential",
  spend_limit:
    "the account has reached its spend limit: raise the limit, or use another account's credential",
  account_blocked: "the account is blocked: contact the provider",
  country_not_supported: "the provider does not serve the router's country",
  model_not_found: "the model does not exist at the provider",
  model_not_allowed: "the account has no access to the model",
  context_length: "the request exceeds the model's context window: shorten it",
  content_filter:
    "a content filter rejected the request or the answer: change the content, or allow other providers with policy.afterContentFilter",
  tool_use_failed: "the model wrote an invalid tool use: retry the request",
  tool_name: "a tool name is invalid: use A-Z, a-z, 0-9, _ and -, at most 64 characters",
  tool_schema: "a tool's inputSchema is not supported: simplify it",
  tool_id: "a tool use in messages has an invalid id",
  tool_count: "there are too many tools: send fewer",
  message_order: "the order of messages is invalid, or a tool use has no result",
  prefill: "the model can't continue an assistant message: end with a user message",
  empty_text: "messages contain an empty text: remove it",
  image: "an image has an unsupported format or size",
  max_tokens: "maxTokens is not accepted: lower it",
  temperature: "temperature is not accepted: lower it, or omit it",
};

function explainAttempt(attempt: AttemptSummary): string {
  const { provider, model, status, fault, code, network } = attempt;
  if (fault === "unopenable")
    return `the stored key of ${provider} can't be decrypted: the credential was changed outside of the API, or MASTER_KEY has changed. Update the credential with its apiKey and baseUrl`;
  if (fault === "empty") return `${provider}/${model} returned no text`;
  if (fault === "invalid_request" && status === null)
    return `nothing was sent to ${provider}/${model}: the provider does not support part of the request, for example an audio format`;
  if (network !== undefined) return `${provider} at ${networkMessage(network)}`;
  const words = code === undefined ? undefined : codeTexts[code];
  if (words !== undefined)
    return `${provider}/${model}: ${words}${status === null ? "" : ` (HTTP ${status})`}`;
  if (status === null)
    return `${provider} can't be reached at the credential's address, or closed the connection`;
  if (status === 401 || status === 403 || code === "invalid_key")
    return `${provider} rejects the credential's key (HTTP ${status})`;
  // Some servers send the error with status 200.
  if (status === 429 || code === "rate_limited")
    return `${provider} is rate limiting (HTTP ${status})`;
  if (status === 400 || status === 413 || status === 422)
    return `${provider}/${model} rejects the request for an unknown reason (HTTP ${status})`;
  return status === 200
    ? `${provider}/${model} returned an unusable answer`
    : `${provider}/${model} returned HTTP ${status}`;
}

function explainFailure(attempts: readonly AttemptSummary[]): string {
  const last = attempts.at(-1);
  if (last === undefined) return "";
  const many = attempts.length > 1 ? ` (the last of ${attempts.length} attempts)` : "";
  return `: ${explainAttempt(last)}${many}`;
}

function explainUnavailable(refusal: Extract<Refusal, { reason: "unavailable" }>): string {
  if (refusal.cause === "resting")
    return `: ${refusal.models.join(", ")} failed recently or asked to wait; try again in ${formatWait(refusal.retryAfterMs)}`;
  if (refusal.cause === "identity_provider") return `: ${refusal.detail}`;
  return refusal.cause === undefined ? "" : `: ${causeTexts[refusal.cause]}`;
}

const explainFirst = ({ first }: Extract<Refusal, { reason: "idempotency_conflict" }>): string =>
  first === undefined
    ? "the key was used with other params"
    : `the answer to ${first} was streamed and isn't stored; use a new key`;

const remedies: { readonly [R in Reason]?: string } = {
  session_required:
    "start with initialize, or send a request without a session with MCP-Protocol-Version: 2026-07-28",
  origin_not_allowed:
    "add the origin to ALLOWED_ORIGINS, or, if it is the router's own URL, to PUBLIC_URL",
  precondition_failed: "read it again, and repeat the change",
};

const explainSize = (
  refusal: Extract<Refusal, { reason: "response_too_large" | "payload_too_large" }>,
): string =>
  refusal.reason === "response_too_large"
    ? `at most ${refusal.maxCharacters} characters; ask for a shorter answer`
    : `at most ${refusal.limitBytes} bytes`;

/** Error message for people. Contains names, numbers and paths, but no content, keys or headers. */
export function explain(refusal: Refusal): string {
  const { title } = refusalTable[refusal.reason];
  switch (refusal.reason) {
    case "invalid_params":
      return `${title}: ${refusal.path === "" ? "" : `${refusal.path}: `}${refusal.detail}`;
    case "invalid_request":
    case "bad_request":
    case "unauthorized":
    case "input_missing":
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
    case "rate_limited":
      return `${title}: ${explainRate(refusal)}`;
    case "method_not_found":
      return `${title}: ${refusal.method}${refusal.detail === undefined ? "" : `; ${refusal.detail}`}`;
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
      return `${title}: the ${refusal.kind} ${refusal.name}: ${refusal.explanation}`;
    case "method_not_allowed":
      return `${title}: use ${refusal.allow}`;
    case "not_acceptable":
      return `${title}: send Accept: ${refusal.accept}`;
    case "unsupported_media_type":
      return `${title}: send Content-Type: ${refusal.expected}`;
    case "response_too_large":
    case "payload_too_large":
      return `${title}: ${explainSize(refusal)}`;
    case "unavailable":
      return `${title}${explainUnavailable(refusal)}`;
    case "provider_failed":
    case "provider_timeout":
      return `${title}${explainFailure(refusal.attempts)}`;
    case "capability_missing":
      return `${title}: ${JSON.stringify(refusal.requiredCapabilities)}; ${refusal.detail ?? howToDeclare}`;
    case "idempotency_conflict":
      return `${title}: ${explainFirst(refusal)}`;
    default: {
      const remedy = "explanation" in refusal ? refusal.explanation : remedies[refusal.reason];
      return remedy === undefined ? title : `${title}: ${remedy}`;
    }
  }
}
