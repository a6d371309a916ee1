/** Describes `/v1` in the OpenAPI document. Its routes speak MCP and are not generated from these schemas. */
import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { rpcAnswer, rpcMessage, routeDecision, samplingParams } from "./caller-schemas.ts";
import type { Reason } from "../../domain/refusals.ts";
import { problemContent, refusalResponses } from "./refusal-responses.ts";

const json = "application/json";
const rpc = { [json]: { schema: rpcAnswer } };

/** A refusal without a request id keeps its HTTP status but is JSON-RPC. */
const asRpc = (reason: Reason) =>
  // The first precedes reading the request, the second is an unexpected exception.
  reason === "origin_not_allowed" || reason === "internal" ? { ...rpc, ...problemContent } : rpc;
const anyCaller = [
  "unauthorized",
  "forbidden",
  "origin_not_allowed",
  "session_not_found",
  "internal",
  "unavailable",
] as const;

const sessionHeader = z.object({
  "Mcp-Session-Id": z
    .string()
    .optional()
    .openapi({
      param: { description: "Session whose capabilities apply." },
    }),
});
const samplingHeaders = sessionHeader.extend({
  "MCP-Protocol-Version": z
    .string()
    .optional()
    .openapi({ param: { description: "2026-07-28 for a single request without a session." } }),
  "Mcp-Method": z
    .string()
    .optional()
    .openapi({ param: { description: "2026-07-28: the method in the body." } }),
  "Idempotency-Key": z
    .string()
    .optional()
    .openapi({ param: { description: "A repeated call is answered from the record." } }),
});

const shared = { security: [{ samplingKey: [] }] };

const dryRun = {
  ...shared,
  method: "post" as const,
  path: "/v1/route",
  operationId: "routeSampling",
  tags: ["Sampling"],
  summary: "Explain the model selection, without a call or charge",
  description:
    "The body is the params of `sampling/createMessage`. Without a session, all modalities and tools count as declared.",
  request: {
    headers: sessionHeader,
    body: { required: true, content: { [json]: { schema: samplingParams } } },
  },
  responses: {
    200: { description: "The choice.", content: { [json]: { schema: routeDecision } } },
    ...refusalResponses([
      "invalid_params",
      "bad_request",
      "capability_missing",
      "header_mismatch",
      "unsupported_protocol_version",
      "payload_too_large",
      "no_eligible_model",
      "stopped",
      ...anyCaller,
    ]),
  },
};

const sampling = {
  ...shared,
  method: "post" as const,
  path: "/v1/sampling",
  operationId: "sample",
  tags: ["Sampling"],
  summary: "Send an MCP JSON-RPC message, for example a sampling request",
  description:
    "Streamable HTTP. 2026-07-28 requests need `MCP-Protocol-Version`, `Mcp-Method` and the revision's `_meta`. Earlier revisions start a session with `initialize`. The method is `sampling-router/createMessage` or `sampling/createMessage`.",
  request: {
    headers: samplingHeaders,
    body: { required: true, content: { [json]: { schema: rpcMessage } } },
  },
  responses: {
    // One media type: with two, generated clients would have to tell them apart.
    200: {
      description: "The response; one event if `Accept` contains text/event-stream.",
      content: rpc,
    },
    202: { description: "The notification was accepted." },
    ...refusalResponses(
      [
        "parse_error",
        "invalid_request",
        "header_mismatch",
        "unsupported_protocol_version",
        "session_required",
        "capability_missing",
        "method_not_found",
        "not_found",
        "not_acceptable",
        "payload_too_large",
        "unsupported_media_type",
        "rate_limited",
        ...anyCaller,
      ],
      asRpc,
    ),
  },
};

const endOfSession = {
  ...shared,
  method: "delete" as const,
  path: "/v1/sampling",
  operationId: "endSamplingSession",
  tags: ["Sampling"],
  summary: "End the session in the header",
  description: "For legacy revisions. Running calls finish.",
  request: { headers: sessionHeader },
  responses: {
    204: { description: "Success." },
    ...refusalResponses(["session_required", ...anyCaller], asRpc),
  },
};

const ofTenant = z.object({
  tenant: z.string().openapi({ param: { description: "The tenant's slug." } }),
});

/** The path that access tokens are issued for. */
const samplingOfTenant = {
  ...sampling,
  path: "/v1/sampling/{tenant}",
  operationId: "sampleOfTenant",
  summary: "The same for one tenant, with an API key or an access token",
  request: { ...sampling.request, params: ofTenant },
};

const endOfTenantSession = {
  ...endOfSession,
  path: "/v1/sampling/{tenant}",
  operationId: "endSamplingSessionOfTenant",
  request: { ...endOfSession.request, params: ofTenant },
};

export function describeCallers(registry: OpenAPIHono["openAPIRegistry"]): void {
  const paths = [dryRun, sampling, endOfSession, samplingOfTenant, endOfTenantSession];
  for (const path of paths) registry.registerPath(path);
}
