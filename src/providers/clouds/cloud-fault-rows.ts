/** Meaning of clouds' errors. The rows of the API that a cloud serves apply too, after these. */
import { azureBilling, free, refusedRequest, rowsOf, type Row } from "../fault-row.ts";

const azureAccess =
  "https://learn.microsoft.com/azure/ai-services/openai/how-to/role-based-access-control";
const bedrockErrors =
  "https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html";
const awsErrors =
  "https://docs.aws.amazon.com/IAM/latest/UserGuide/signature-v4-troubleshooting.html";
const profiles = "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-use.html";
const vertexErrors =
  "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors";

const auth = { kind: "auth", reach: "credential", retryable: true } as const;
const denied = { ...auth, code: "access_denied" } as const;
const unknownModel = { kind: "invalid_request", reach: "model", retryable: true } as const;

const azure = rowsOf({ providers: ["azure"], ...azureBilling }, [
  {
    ...denied,
    status: { from: 401, to: 403 },
    names: ["permissiondenied"],
    billed: "no",
    source: azureAccess,
  },
]);

const bedrock = rowsOf({ providers: ["bedrock"], ...free.others }, [
  {
    ...auth,
    status: { from: 400, to: 403 },
    says: /signature (expired|not yet current)|not later than/,
    code: "wrong_clock",
    source: awsErrors,
  },
  {
    ...auth,
    status: 403,
    says: "request signature we calculated does not match",
    code: "wrong_signature",
    source: awsErrors,
  },
  {
    ...auth,
    status: { from: 400, to: 403 },
    says: /security token included in the request is (invalid|expired)|invalid api key|token has expired/,
    code: "invalid_key",
    source: bedrockErrors,
  },
  {
    ...unknownModel,
    status: 403,
    says: /access to the model|model access is denied/,
    code: "model_not_allowed",
    source: bedrockErrors,
  },
  { ...denied, status: 403, says: "is not authorized to perform", source: bedrockErrors },
  {
    ...auth,
    status: { from: 400, to: 403 },
    says: "unsupported countries, regions",
    code: "country_not_supported",
    source: bedrockErrors,
  },
  {
    kind: "rate_limit",
    reach: "model",
    retryable: true,
    status: { from: 400, to: 429 },
    says: /service ?quota|too many (tokens|requests)/,
    code: "rate_limited",
    source: bedrockErrors,
  },
  {
    ...unknownModel,
    status: 400,
    says: /on-demand throughput isn.t supported/,
    code: "needs_profile",
    source: profiles,
  },
  {
    ...unknownModel,
    status: { from: 400, to: 404 },
    says: /model identifier is invalid|end of its life|could not resolve the foundation model/,
    code: "model_not_found",
    source: bedrockErrors,
  },
  {
    ...refusedRequest,
    status: 400,
    says: "input is too long",
    code: "context_length",
    source: bedrockErrors,
  },
]);

const vertex = rowsOf({ providers: ["vertex"], ...free.google }, [
  {
    ...denied,
    status: 403,
    says: /permission '[\w.]+' denied/,
    source: vertexErrors,
  },
  {
    ...unknownModel,
    status: { from: 400, to: 404 },
    says: /publisher model [^ ]+ (was not found|is not servable)/,
    code: "model_not_found",
    source: vertexErrors,
  },
]);

export const cloudFaultRows: readonly Row[] = [...azure, ...bedrock, ...vertex];
