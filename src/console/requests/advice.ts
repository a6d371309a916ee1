/** What to do about each cause of a failure or a refusal. Pure, for tests. */
type Rows = Readonly<Record<string, string>>;

/** by fault codes and kinds */
const ofFaults: Rows = {
  image: "Send a smaller image, or another format: PNG, JPEG, WebP or GIF.",
  "rate_limited rate_limit":
    "Wait, raise the limit in the provider’s account, or add a credential.",
  context_length: "Shorten the messages, or allow a model with a larger context.",
  content_filter: "The provider’s filter refused it. Change the request, or use another model.",
  "invalid_key auth unopenable token_refused": "Replace the key on the Credentials page.",
  "account_blocked access_denied country_not_supported role_refused no_aws_identity no_host_identity wrong_signature gateway_refused":
    "Check the account and its permissions at the provider, then check the credential.",
  wrong_clock: "Correct the clock of the router’s machine.",
  "no_credit spend_limit": "Add credit or raise the spending limit in the provider’s account.",
  "model_not_found model_not_allowed needs_profile":
    "Enable the model in the provider’s account, or leave it out in the policy.",
  "overloaded server": "Repeat the request later, or add a credential of another provider.",
  "network token_unreachable": "Check the provider’s status and the router’s network.",
  timeout: "Lower maxTokens, or allow more time.",
  "max_tokens response_too_large": "Lower maxTokens, or ask for a shorter answer.",
  temperature: "Leave out the temperature, or use another model.",
  "invalid_request tool_name tool_schema tool_id tool_count message_order prefill empty_text":
    "Correct the request as the provider’s message says.",
  "malformed empty not_json wrong_tool_use tool_use_failed":
    "The answer wasn’t usable. Repeat the request, or use another model.",
};
const ofReasons: Rows = {
  "rate_limited budget_exceeded": "Wait until the limit resets, or raise it in the policy.",
  no_eligible_model: "See “Why this model” for what excludes each model.",
  "unavailable internal": "Wait a minute, then repeat the request.",
  "invalid_params capability_missing": "Correct the request as described.",
  stopped: "Release the kill switch to allow such calls again.",
  idempotency_conflict: "Use a new idempotency key for a new request.",
  response_too_large: "Ask for a shorter answer, or call without streaming.",
};

const adviceIn = (rows: Rows, cause: string | null): string | null =>
  Object.entries(rows).find(([causes]) => causes.split(" ").includes(cause ?? ""))?.[1] ?? null;

/** `null` if there is nothing to do, for example about a cancellation. */
export const faultAdvice = (cause: string | null): string | null => adviceIn(ofFaults, cause);
export const reasonAdvice = (reason: string | null): string | null => adviceIn(ofReasons, reason);
