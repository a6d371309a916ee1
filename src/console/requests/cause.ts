/** What became of a request, why, and what to do about it. Pure, for tests. */
import type { Asked } from "../../domain/audit/record.ts";
import { isObject, parsedJson, type JsonValue } from "../../domain/json.ts";
import { capabilityText } from "../capability-text.ts";
import { count, spaced, time } from "../format.ts";
import { scopedTitle } from "../limit-titles.ts";
import { exclusionText, nameOf } from "./notes.ts";
import type { RequestRecord } from "./record.ts";

type Rows = Readonly<Record<string, string>>;
type Ended = Pick<
  RequestRecord,
  "outcome" | "reason" | "reasonDetail" | "omitted" | "attempts" | "asked"
>;

/** of fault codes and kinds that aren't clear */
const faultWords: Rows = {
  auth: "key rejected by the provider",
  content_filter: "blocked by the provider’s filter",
  context_length: "input too long for the model",
  empty: "empty answer",
  empty_text: "message without text",
  image: "image too large or unreadable",
  malformed: "unreadable answer",
  max_tokens: "maxTokens over the model’s limit",
  message_order: "order of messages not accepted",
  network: "provider unreachable",
  no_credit: "no credit at the provider",
  not_json: "answer isn’t JSON",
  overloaded: "provider overloaded",
  prefill: "prefilled answer not accepted",
  rate_limit: "provider’s rate limit",
  rate_limited: "provider’s rate limit",
  response_too_large: "answer too large",
  server: "error at the provider",
  spend_limit: "provider’s spend limit",
  temperature: "temperature not accepted",
  timeout: "provider took too long",
  tool_count: "too many tools",
  tool_id: "tool id not accepted",
  tool_name: "tool name not accepted",
  tool_schema: "tool schema not accepted",
  unopenable: "stored key can’t be decrypted",
};
const reasonWords: Rows = {
  budget_exceeded: "no budget left for the call",
  capability_missing: "client lacks a capability",
  idempotency_conflict: "idempotency key already used",
  invalid_params: "invalid parameter",
  no_eligible_model: "no model can serve the request",
  rate_limited: "rate limit reached",
  stopped: "stopped by a kill switch",
  unavailable: "temporarily unavailable",
  user_rejected: "not approved",
};

/** by fault codes and kinds */
const faultAdvices: Rows = {
  image: "Send a smaller image, or another format: PNG, JPEG, WebP or GIF.",
  "rate_limited rate_limit":
    "Wait, raise the limit in the provider’s account, or add a credential.",
  context_length: "Shorten the messages, or allow a model with a larger context.",
  content_filter: "Change the request, or use another model.",
  "invalid_key auth unopenable token_refused": "Replace the key of the credential.",
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
    "Repeat the request, or use another model.",
};
const reasonAdvices: Rows = {
  "rate_limited budget_exceeded": "Wait until the limit resets, or raise it.",
  no_eligible_model: "Allow one of these models in the policy, or change the request.",
  "unavailable internal": "Wait a minute, then repeat the request.",
  "invalid_params capability_missing": "Correct the request.",
  stopped: "Release the kill switch to allow such calls again.",
  user_rejected: "See who decided, and why, at its approval.",
  idempotency_conflict: "Use a new idempotency key for a new request.",
  response_too_large: "Ask for a shorter answer, or call without streaming.",
};

/** Where to follow an advice, by what it names. */
const advicePages = [
  ["/models", "Models", "model’s name"],
  ["/credentials", "Credentials", "credential"],
  ["/limits", "Limits", "reset"],
  ["/policy", "Policy", "policy"],
  ["/switches", "Kill switches", "kill switch"],
  ["/approvals?state=all&open=", "Approval", "its approval"],
] as const;
export const pagesFor = (advice: string) => advicePages.filter(([, , its]) => advice.includes(its));

const adviceIn = (rows: Rows, cause: string): string | undefined =>
  Object.entries(rows).find(([causes]) => causes.split(" ").includes(cause))?.[1];

export const faultAdvice = (fault: string): string | undefined => adviceIn(faultAdvices, fault);

const faultsIn = ({ attempts }: Ended): string[] => [
  ...new Set(attempts.flatMap(({ code, fault }) => (fault === null ? [] : [code ?? fault]))),
];
export const faultText = (fault: string): string => faultWords[fault] ?? spaced(fault);

const isLimit = ({ reason }: Ended): boolean =>
  reason === "rate_limited" || reason === "budget_exceeded";

/** No model has the name that the request asks for. */
const isMisnamed = ({ reason, reasonDetail }: Ended): boolean =>
  reason === "no_eligible_model" && /^\{"not_named":\d+\}$/.test(reasonDetail ?? "");

function reasonAdvice(record: Ended): string {
  if (isMisnamed(record)) return "Correct the model’s name, or add a credential of its provider.";
  if (isLimit(record) && /(?:Total|PerRun)$/.test(record.reasonDetail ?? ""))
    return "Raise the limit: a total doesn’t reset.";
  return adviceIn(reasonAdvices, record.reason ?? "") ?? "";
}

/** Empty if there is nothing to do, for example about a cancellation. */
export function adviceText(record: Ended): string {
  if (record.outcome === "succeeded" || record.outcome === "admitted") return "";
  const advices = faultsIn(record).flatMap((fault) => faultAdvice(fault) ?? []);
  return advices.length === 0 ? reasonAdvice(record) : [...new Set(advices)].join(" ");
}

const plain = (value: JsonValue): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** Records store details as a name, a sentence, or JSON. */
function detailText(record: Ended): string | null {
  const { reason, reasonDetail, omitted } = record;
  if (omitted)
    return `${count(omitted.requests)} requests, ${time(omitted.from)} – ${time(omitted.until)}`;
  const detail = parsedJson(reasonDetail ?? "");
  if (reason === "capability_missing" && isObject(detail)) return capabilityText(detail);
  if (isObject(detail))
    return Object.entries(detail)
      .map(([name, value]) =>
        typeof value === "number"
          ? `${exclusionText(name)} (${count(value)})`
          : `${exclusionText(name)}: ${[value].flat().map(plain).join(", ")}`,
      )
      .join(", ");
  if (isLimit(record) && reasonDetail !== null) return scopedTitle(reasonDetail);
  const by = reasonDetail?.replace(" by person:", " by ");
  return by?.replace(/ \(subject [\w-]+\)$/, "") ?? null;
}

/** Why a request failed or was refused, or why models failed before another one answered. */
export function causeText(record: Ended): string {
  const { reason, outcome, asked } = record;
  const { model }: Partial<Asked> = asked ?? {};
  const faults = faultsIn(record).map(faultText).join(", ");
  if (outcome === "succeeded") return faults === "" ? "" : `retried: ${faults}`;
  if (faults !== "" && (reason?.startsWith("provider_") ?? true)) return faults;
  if (reason === null) return outcome === "unknown" ? "router stopped during the call" : "";
  if (model !== undefined && isMisnamed(record)) return `no model is named “${model}”`;
  const detail = detailText(record);
  if (reason === "unavailable" && detail !== null) return `models ${detail}`;
  return [reasonWords[reason] ?? faultText(reason), detail || []].flat().join(": ");
}

/** of a call until its approval is decided, on every page */
export const pendingWord = "pending approval";

type Going = Pick<RequestRecord, "outcome" | "held" | "approved"> & { reason?: string | null };
export const outcomeWord = ({ outcome, held, approved, reason }: Going): string => {
  if (approved) return "approved";
  if (held) return pendingWord;
  return reason === "user_rejected" ? "not approved" : outcome === "admitted" ? "running" : outcome;
};

/** What became of a request, in a line. */
export function verdictText(record: Ended & Pick<Going, "approved">): string {
  const { attempts, outcome, approved } = record;
  if (approved) return "The call runs as soon as its caller is connected";
  const answered = attempts.findLast(({ fault }) => fault === null);
  if (outcome !== "succeeded" || answered === undefined)
    return causeText(record).replace(/^./, (first) => first.toUpperCase());
  const failed = attempts.length - 1;
  const after = failed === 0 ? "" : ` after ${failed} failed attempt${failed === 1 ? "" : "s"}`;
  return `${nameOf(answered)} answered${after}`;
}
