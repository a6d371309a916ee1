/** Handles a call to a model endpoint: same steps, limits and record as sampling. */
import { calledByPolicy } from "../../domain/choice/named-models.ts";
import type { ModelEndpointName } from "../../domain/model-endpoint.ts";
import type { JsonObject } from "../../domain/json.ts";
import { nameOf } from "../../domain/models/model.ts";
import { isNamed } from "../../domain/models/named.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { everyCapability } from "../../domain/sampling/capabilities.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import { featuresOf } from "../../domain/sampling/negotiation.ts";
import type { RequestBody } from "../../domain/passing.ts";
import { idempotencyKeyOf } from "../../mcp/idempotency-key.ts";
import { limitHeaders } from "../../mcp/refusal-headers.ts";
import { propagatedIn } from "../../mcp/trace-context.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";
import type { Sampled } from "../../pipeline/sampling/sample.ts";
import type { Finished } from "../../pipeline/sampling/states/states.ts";
import type { UnreadRequest } from "../../pipeline/sampling/request/sampling-request.ts";
import type { CallSlot } from "../../domain/sampling/call-slot.ts";
import type { ModelServices } from "../sampling-services.ts";
import { patienceOf } from "../sampling/waiting.ts";
import { askedByHeaders, modelClaim } from "./caller.ts";
import type { Decoded, StreamRequest } from "./decoded.ts";
import { marksIn } from "./outline.ts";
import { decodedRequest } from "./decoded-request.ts";
import { refusedMember } from "./refused-members.ts";
import { endpointPolicy, passedFrom } from "./passed-from.ts";
import type { OpenEvents } from "./event-writer.ts";
import { inSlot, type ModelRequest } from "./in-slot.ts";
import { streamedCall, type StreamedAnswer } from "./stream.ts";
import { errorAnswer, idHeaders, type BufferedAnswer, type Dialect } from "./errors.ts";

export interface ModelEndpoint {
  name: ModelEndpointName;
  dialect: Dialect;
  decode: (body: JsonObject) => Result<Decoded, Refusal>;
  encode: (finished: Finished, createdAt: number) => JsonObject;
  events: OpenEvents;
}

interface AuthenticatedRequest {
  token: string;
  caller: Caller;
  bytes: RequestBody;
  body: JsonObject;
  decoded: Decoded;
  slot: CallSlot | null;
  startedAt: number;
  monotonicStart: number;
  authMs: number;
}

/** Clients of the model endpoints declare no capabilities, so all are assumed. */
export const assumedDeclarations = { capabilities: everyCapability, features: featuresOf({}) };

/** Rereads the caller, whose policy may refuse the request by now. */
async function currentCaller(
  services: ModelServices,
  {
    tenant,
    authenticated: { token, endpoint, body },
  }: {
    tenant: string | undefined;
    authenticated: AuthenticatedRequest & { endpoint: ModelEndpointName };
  },
): AsyncResult<Caller> {
  const read = await services.authenticate(modelClaim(token, tenant), "database");
  return read.ok ? (refusedMember(endpoint, body, endpointPolicy(read.value)) ?? read) : read;
}

async function samplingRequestOf(
  services: ModelServices,
  { request: { headers }, url, tenant }: ModelRequest,
  authenticated: AuthenticatedRequest & { endpoint: ModelEndpointName },
): Promise<UnreadRequest> {
  const { caller, decoded, bytes, slot, startedAt, monotonicStart, authMs } = authenticated;
  const key = idempotencyKeyOf(headers, {});
  const asked = askedByHeaders(headers);
  const [name, version] = (headers.get("User-Agent")?.split(" ")[0] ?? "").split("/");
  const { passing } = decoded.call;
  // Signed thinking, sealed reasoning and stored responses always cause losses, so requests without losses
  // aren't searched for them.
  const pinned =
    passing === undefined || passing.losses.length === 0
      ? null
      : services.pins.of(marksIn(authenticated.body));
  const call: Result<SamplingCall, Refusal> = asked.ok
    ? ok({
        ...decoded.call,
        ...asked.value,
        endpoint: authenticated.endpoint,
        ...(passing !== undefined && pinned !== null && { passing: { ...passing, pinned } }),
      })
    : asked;
  return {
    caller,
    reauthenticate: () => currentCaller(services, { tenant, authenticated }),
    call: key.ok ? call : key,
    endpoint: authenticated.endpoint,
    passed: (current) =>
      passedFrom({ headers, url }, authenticated.endpoint, { body: bytes, caller: current }),
    replayKey:
      key.ok && key.value !== null
        ? { kind: "client", key: await services.sha256Hex(key.value) }
        : null,
    declaredBy: () => assumedDeclarations,
    client: {
      name: name?.slice(0, 200) || null,
      version: version?.slice(0, 200) || null,
      revision: null,
    },
    server: null,
    tool: null,
    messageId: null,
    bytes: bytes.bytes.byteLength,
    content: authenticated.body,
    startedAt,
    monotonicStart,
    authMs,
    slot,
    waiting: () => ({ patienceMs: patienceOf(headers) }),
    propagated: propagatedIn(headers, {}),
  };
}

const contextOf = (models: ReturnType<ModelServices["servedModels"]>, name: string | undefined) =>
  (name === undefined ? undefined : models.find((model) => isNamed(model, name)))?.contextTokens ??
  null;

function fallbackHeader(
  models: ReturnType<ModelServices["servedModels"]>,
  { asked, answered }: { asked: string | undefined; answered: string },
): Record<string, string> {
  const model = models.find((each) => nameOf(each) === answered);
  return asked === undefined || model === undefined || isNamed(model, asked)
    ? {}
    : { "X-Router-Fallback": asked };
}

const costHeader = (costUsd: number | null): Record<string, string> =>
  costUsd === null ? {} : { "X-Router-Cost": String(costUsd) };

const modelHeaders = (
  services: ModelServices,
  { caller, decoded }: AuthenticatedRequest,
  { planned, model }: Pick<Sampled, "planned"> & { model: string | null },
): Record<string, string> => {
  const asked = planned ?? calledByPolicy(decoded.call, caller.snapshot.tenant.policy);
  return {
    ...(asked.maxTokens < decoded.call.maxTokens && {
      "X-Router-Max-Tokens": String(asked.maxTokens),
    }),
    ...(model !== null && {
      "X-Router-Model": model,
      ...fallbackHeader(services.servedModels(caller), { asked: asked.model, answered: model }),
    }),
  };
};

/** Runs the call. Once admitted, it is always settled. */
async function answerTo(
  services: ModelServices,
  endpoint: ModelEndpoint,
  { input, authenticated }: { input: ModelRequest; authenticated: AuthenticatedRequest },
): Promise<BufferedAnswer | StreamedAnswer> {
  const { name, dialect, encode } = endpoint;
  const request = await samplingRequestOf(services, input, { ...authenticated, endpoint: name });
  const { stream } = authenticated.decoded;
  if (stream !== undefined)
    return streamTo(services, endpoint, { input, authenticated, request, stream });
  const started = await services.sample(request);
  const { requestId, limits } = started;
  const refused = (refusal: Refusal): BufferedAnswer => {
    const { model } = authenticated.decoded.call;
    const modelContext = contextOf(services.servedModels(authenticated.caller), model);
    return errorAnswer(refusal, { dialect, requestId, modelContext, limits });
  };
  if (!started.outcome.ok) return refused(started.outcome.error);
  const ended = await started.outcome.value(input.request.signal);
  if (!ended.outcome.ok) return refused(ended.outcome.error);
  const { answer, decision } = ended.outcome.value;
  const ignored = answer.passed === undefined ? authenticated.decoded.ignored : [];
  return {
    status: 200,
    headers: {
      ...idHeaders(requestId),
      ...limitHeaders(limits, null),
      ...modelHeaders(services, authenticated, { ...started, model: answer.model }),
      ...costHeader(decision.costUsd),
      ...(ignored.length > 0 && { "X-Router-Ignored": ignored.join(", ") }),
    },
    body: answer.passed ?? encode(ended.outcome.value, authenticated.startedAt),
  };
}

async function streamTo(
  services: ModelServices,
  { dialect, events }: ModelEndpoint,
  {
    input,
    authenticated,
    request,
    stream,
  }: {
    input: ModelRequest;
    authenticated: AuthenticatedRequest;
    request: UnreadRequest;
    stream: StreamRequest;
  },
): Promise<BufferedAnswer | StreamedAnswer> {
  const call = streamedCall(input.request.signal);
  const started = await services.sample({ ...request, reader: call.reader });
  const { requestId, limits } = started;
  const modelContext = contextOf(
    services.servedModels(authenticated.caller),
    authenticated.decoded.call.model,
  );
  const errorOf = (refusal: Refusal) =>
    errorAnswer(refusal, { dialect, requestId, modelContext, limits });
  if (!started.outcome.ok) {
    call.abandon();
    return errorOf(started.outcome.error);
  }
  const opened = await call.open(started.outcome.value, {
    events: events({ requestId, createdAt: authenticated.startedAt, stream }),
    errorBody: (refusal) => errorOf(refusal).body,
    report: (thrown) => services.report(requestId, thrown),
  });
  if ("refused" in opened) return errorOf(opened.refused);
  const { model, content, passes } = opened;
  const ignored = passes ? [] : authenticated.decoded.ignored;
  return {
    headers: {
      ...idHeaders(requestId),
      ...limitHeaders(limits, null),
      ...modelHeaders(services, authenticated, { ...started, model }),
      ...(ignored.length > 0 && { "X-Router-Ignored": ignored.join(", ") }),
    },
    content,
  };
}

export async function postModelCall(
  services: ModelServices,
  endpoint: ModelEndpoint,
  input: ModelRequest,
): Promise<BufferedAnswer | StreamedAnswer> {
  const { dialect } = endpoint;
  const startedAt = services.now();
  const monotonicStart = services.elapsed();
  const answered = await inSlot(services, input, async (authenticated) => {
    const decoded = decodedRequest(
      endpoint,
      authenticated.body,
      endpointPolicy(authenticated.caller),
    );
    if (!decoded.ok) return decoded;
    const authMs = services.elapsed() - monotonicStart;
    const of = { ...authenticated, decoded: decoded.value, startedAt, monotonicStart, authMs };
    return ok(await answerTo(services, endpoint, { input, authenticated: of }));
  }).catch((thrown: unknown) => {
    services.report(input.requestId, thrown);
    return err({ reason: "internal" } as const);
  });
  return answered.ok
    ? answered.value
    : errorAnswer(answered.error, { dialect, requestId: input.requestId });
}
