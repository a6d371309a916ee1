/** A call of a model endpoint: the same steps, limits and record as sampling, in the words of another wire. */
import { calledByPolicy } from "../../domain/choice/named-models.ts";
import type { ModelEndpointName } from "../../domain/model-endpoint.ts";
import type { JsonObject } from "../../domain/json.ts";
import { nameOf } from "../../domain/models/model.ts";
import { isNamed } from "../../domain/models/named.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import { everyCapability } from "../../domain/sampling/capabilities.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import { featuresOf } from "../../domain/sampling/negotiation.ts";
import type { RequestBody } from "../../domain/passing.ts";
import { idempotencyKeyOf } from "../../mcp/idempotency-key.ts";
import { limitHeaders } from "../../mcp/refusal-headers.ts";
import { propagatedIn } from "../../mcp/trace-context.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";
import type { Finished } from "../../pipeline/sampling/states/states.ts";
import type { UnreadRequest } from "../../pipeline/sampling/request/sampling-request.ts";
import type { CallSlot } from "../../domain/sampling/call-slot.ts";
import type { ModelServices } from "../sampling-services.ts";
import { patienceOf } from "../sampling/waiting.ts";
import { askedByHeaders, modelClaim } from "./caller.ts";
import type { Decoded, StreamRequest } from "./decoded.ts";
import { marksIn } from "./outline.ts";
import { decodedRequest } from "./decoded-request.ts";
import { endpointPolicy, passedFrom } from "./passed-from.ts";
import type { OpenEvents } from "./event-writer.ts";
import { inTurn, type ModelRequest } from "./in-turn.ts";
import { streamedCall, type StreamedAnswer } from "./stream.ts";
import { errorAnswer, idHeaders, type Answered, type Dialect } from "./errors.ts";

export interface ModelEndpoint {
  name: ModelEndpointName;
  dialect: Dialect;
  decode: (body: JsonObject) => Result<Decoded, Refusal>;
  /** @param createdAt ms since the epoch */
  encode: (finished: Finished, createdAt: number) => JsonObject;
  events: OpenEvents;
}

/** What came, once its caller is known. */
interface Came {
  token: string;
  caller: Caller;
  bytes: RequestBody;
  body: JsonObject;
  decoded: Decoded;
  turn: CallSlot | null;
  startedAt: number;
  beganAt: number;
  authMs: number;
}

/** A caller of HTTP alone declares nothing, so every capability counts as declared. */
export const declared = { capabilities: everyCapability, features: featuresOf({}) };

async function samplingRequestOf(
  services: ModelServices,
  { request: { headers }, tenant }: ModelRequest,
  came: Came & { endpoint: ModelEndpointName },
): Promise<UnreadRequest> {
  const { caller, decoded, bytes, turn, startedAt, beganAt, authMs } = came;
  const key = idempotencyKeyOf(headers, {});
  const asked = askedByHeaders(headers);
  const [name, version] = (headers.get("User-Agent")?.split(" ")[0] ?? "").split("/");
  const { passing } = decoded.call;
  // What is sealed for one account excludes every other API, so only such a request is looked through.
  const pinned =
    passing === undefined || passing.losses.length === 0
      ? null
      : services.pins.of(marksIn(came.body));
  const call: Result<SamplingCall, Refusal> = asked.ok
    ? ok({
        ...decoded.call,
        ...asked.value,
        endpoint: came.endpoint,
        ...(passing !== undefined && pinned !== null && { passing: { ...passing, pinned } }),
      })
    : asked;
  return {
    caller,
    again: () => services.authenticate(modelClaim(came.token, tenant), "database"),
    call: key.ok ? call : key,
    endpoint: came.endpoint,
    passed: passedFrom(headers, came.endpoint, { body: bytes, caller }),
    replayKey:
      key.ok && key.value !== null
        ? { kind: "client", key: await services.sha256Hex(key.value) }
        : null,
    declaredBy: () => declared,
    client: {
      name: name?.slice(0, 200) || null,
      version: version?.slice(0, 200) || null,
      revision: null,
    },
    server: null,
    tool: null,
    messageId: null,
    bytes: bytes.bytes.byteLength,
    content: came.body,
    startedAt,
    beganAt,
    authMs,
    turn,
    waiting: () => ({ patienceMs: patienceOf(headers) }),
    propagated: propagatedIn(headers, {}),
  };
}

/** Context of the model that a request names, where the caller has it; null: unknown. */
const contextOf = (models: ReturnType<ModelServices["servedModels"]>, name: string | undefined) =>
  (name === undefined ? undefined : models.find((model) => isNamed(model, name)))?.contextTokens ??
  null;

/** Says that another model than the named one answered, as the tenant's policy allows. */
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

/** @param model that answers, `provider/model`; null: not known before the stream begins */
const modelHeaders = (
  services: ModelServices,
  { caller, decoded }: Came,
  model: string | null,
): Record<string, string> =>
  model === null
    ? {}
    : {
        "X-Router-Model": model,
        ...fallbackHeader(services.servedModels(caller), {
          asked: calledByPolicy(decoded.call, caller.snapshot.tenant.policy).model,
          answered: model,
        }),
      };

/** Calls a model, and always settles. */
async function answerTo(
  services: ModelServices,
  endpoint: ModelEndpoint,
  { input, came }: { input: ModelRequest; came: Came },
): Promise<Answered | StreamedAnswer> {
  const { name, dialect, encode } = endpoint;
  const request = await samplingRequestOf(services, input, { ...came, endpoint: name });
  const { stream } = came.decoded;
  if (stream !== undefined) return streamTo(services, endpoint, { input, came, request, stream });
  const started = await services.sample(request);
  const { requestId, limits } = started;
  const refused = (refusal: Refusal): Answered => {
    const { model } = came.decoded.call;
    const mostTokens = contextOf(services.servedModels(came.caller), model);
    return errorAnswer(refusal, { dialect, requestId, mostTokens, limits });
  };
  if (!started.outcome.ok) return refused(started.outcome.error);
  const ended = await started.outcome.value(input.request.signal);
  if (!ended.outcome.ok) return refused(ended.outcome.error);
  const { answer, decision } = ended.outcome.value;
  const ignored = answer.passed === undefined ? came.decoded.ignored : [];
  return {
    status: 200,
    headers: {
      ...idHeaders(requestId),
      ...limitHeaders(limits, null),
      ...modelHeaders(services, came, answer.model),
      ...costHeader(decision.costUsd),
      ...(ignored.length > 0 && { "X-Router-Ignored": ignored.join(", ") }),
    },
    body: answer.passed ?? encode(ended.outcome.value, came.startedAt),
  };
}

/** As `answerTo`, as a stream. */
async function streamTo(
  services: ModelServices,
  { dialect, events }: ModelEndpoint,
  {
    input,
    came,
    request,
    stream,
  }: { input: ModelRequest; came: Came; request: UnreadRequest; stream: StreamRequest },
): Promise<Answered | StreamedAnswer> {
  const call = streamedCall(input.request.signal);
  const started = await services.sample({ ...request, reader: call.reader });
  const { requestId, limits } = started;
  const mostTokens = contextOf(services.servedModels(came.caller), came.decoded.call.model);
  const errorOf = (refusal: Refusal) =>
    errorAnswer(refusal, { dialect, requestId, mostTokens, limits });
  if (!started.outcome.ok) {
    call.leave();
    return errorOf(started.outcome.error);
  }
  const opened = await call.open(started.outcome.value, {
    events: events({ requestId, createdAt: came.startedAt, stream }),
    errorBody: (refusal) => errorOf(refusal).body,
    report: (thrown) => services.report(requestId, thrown),
  });
  if ("refused" in opened) return errorOf(opened.refused);
  const { model, content, passes } = opened;
  const ignored = passes ? [] : came.decoded.ignored;
  return {
    headers: {
      ...idHeaders(requestId),
      ...limitHeaders(limits, null),
      ...modelHeaders(services, came, model),
      ...(ignored.length > 0 && { "X-Router-Ignored": ignored.join(", ") }),
    },
    content,
  };
}

export async function postModelCall(
  services: ModelServices,
  endpoint: ModelEndpoint,
  input: ModelRequest,
): Promise<Answered | StreamedAnswer> {
  const { dialect } = endpoint;
  const startedAt = services.now();
  const beganAt = services.elapsed();
  const answered = await inTurn(services, input, async (came) => {
    const decoded = decodedRequest(endpoint, came.body, endpointPolicy(came.caller));
    if (!decoded.ok) return decoded;
    const authMs = services.elapsed() - beganAt;
    const of = { ...came, decoded: decoded.value, startedAt, beganAt, authMs };
    return ok(await answerTo(services, endpoint, { input, came: of }));
  });
  return answered.ok
    ? answered.value
    : errorAnswer(answered.error, { dialect, requestId: input.requestId });
}
