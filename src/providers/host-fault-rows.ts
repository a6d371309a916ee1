/** Meaning of the errors of servers in `domain/models/hosts.ts`, where they have codes of their own. */
import { free, refusedRequest, rowsOf } from "./fault-row.ts";

const moonshotErrors = "https://platform.moonshot.ai/docs/api/chat";
const dashscopeErrors = "https://www.alibabacloud.com/help/en/model-studio/error-code";
const litellmErrors = "https://docs.litellm.ai/docs/proxy/users";

const noMoney = { kind: "rate_limit", reach: "credential", retryable: true } as const;

const gatewayErrors = "https://github.com/cloudflare/cloudflare-docs/pull/31050";
const gatewayRefused = {
  kind: "auth",
  reach: "credential",
  retryable: true,
  status: 401,
  code: "gateway_refused",
  source: gatewayErrors,
} as const;

/** Of Cloudflare AI Gateway itself, whichever provider is behind it. */
export const gatewayRows = rowsOf(free.others, [
  { ...gatewayRefused, names: ["aigatewayerror"] },
  { ...gatewayRefused, names: ["2009"], says: "unauthorized" },
]);

export const hostRows = rowsOf(free.others, [
  {
    ...noMoney,
    providers: ["moonshot"],
    status: { from: 403, to: 429 },
    names: ["exceeded_current_quota_error"],
    code: "no_credit",
    source: moonshotErrors,
  },
  {
    kind: "server",
    reach: "model",
    retryable: true,
    providers: ["moonshot"],
    status: 429,
    names: ["engine_overloaded_error"],
    code: "overloaded",
    source: moonshotErrors,
  },
  {
    ...refusedRequest,
    providers: ["moonshot"],
    status: 400,
    says: "exceeded model token limit",
    code: "context_length",
    source: "https://github.com/MoonshotAI/kimi-cli/issues/2011",
  },
  {
    ...noMoney,
    providers: ["dashscope"],
    status: 400,
    names: ["arrearage"],
    code: "no_credit",
    source: dashscopeErrors,
  },
  {
    ...refusedRequest,
    providers: ["dashscope"],
    status: 400,
    names: ["data_inspection_failed", "datainspectionfailed"],
    code: "content_filter",
    billed: "maybe",
    source: dashscopeErrors,
  },
  {
    ...noMoney,
    providers: ["litellm"],
    status: { from: 400, to: 429 },
    names: ["budget_exceeded"],
    code: "spend_limit",
    source: litellmErrors,
  },
]);
