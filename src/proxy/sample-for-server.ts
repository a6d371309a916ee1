/** Runs a server's sampling request through the pipeline, and encodes its outcome. */
import { isDeeperThan, maxMessageLevels } from "../domain/depth.ts";
import { own, type JsonObject } from "../domain/json.ts";
import type { ReplayKey } from "../domain/sampling/replay-key.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, type Result } from "../domain/result.ts";
import type { Codec } from "../mcp/codec.ts";
import type { Caller } from "../pipeline/callers/authenticate.ts";
import type { Declared } from "../pipeline/sampling/choice/choose.ts";
import type { Waiting } from "../pipeline/sampling/request/sampling-request.ts";
import type { Finished } from "../pipeline/sampling/states/states.ts";
import type { AnsweredBy } from "../pipeline/sampling/request/idempotency.ts";
import type { ProxyServices } from "./services.ts";
import { withoutIdempotencyKey } from "../mcp/idempotency-key.ts";
import { propagatedIn } from "../mcp/trace-context.ts";
import type { Exchange } from "./exchange.ts";

export interface ServerSamplingRequest {
  params: JsonObject;
  codec: Codec;
  declared: Declared;
  clientInfo: JsonObject;
  tool: string | null;
  /** hash of the client's request, by which the client can cancel it */
  messageId: string | null;
  /** identifies a repeated request; null: the request is new */
  replayKey: ReplayKey | null;
  /** size of a request that was too large for `params` */
  oversizedBytes: number | null;
  /** how long the server waits for an approver; absent: the default */
  waiting?: () => Waiting;
  /** refused before a model is selected */
  denied: Refusal | null;
}

export interface SamplingOutcome {
  requestId: string;
  answeredBy: AnsweredBy;
  outcome: Result<Finished, Refusal>;
}

const nameIn = (clientInfo: JsonObject, key: string): string | null => {
  const value = own(clientInfo, key);
  return typeof value === "string" ? value.slice(0, 200) : null;
};

/** The message adds one level. */
const maxParamsLevels = maxMessageLevels - 1;
const tooDeep: Refusal = {
  reason: "invalid_params",
  path: "params",
  detail: `Nested deeper than ${maxMessageLevels} levels.`,
};

export type SamplingDeps = Pick<ProxyServices, "sample" | "now" | "elapsed" | "report">;

/** Always settles. A throw becomes the refusal `internal`. */
export async function sampleForServer(
  deps: SamplingDeps,
  asked: {
    /** as of now, because the exchange may be older */
    caller: Caller;
    server: Exchange["server"];
    exchange: Pick<Exchange, "reauthenticate" | "headers">;
    request: ServerSamplingRequest;
    signal: AbortSignal;
  },
): Promise<SamplingOutcome> {
  const { caller, server, exchange, request, signal } = asked;
  const { codec } = request;
  // Building the record recurses through the params.
  const isTooDeep = isDeeperThan(request.params, maxParamsLevels);
  const params = isTooDeep ? {} : request.params;
  const denied = request.denied ?? (isTooDeep ? tooDeep : null);
  const { _meta, ...content } = withoutIdempotencyKey(params);
  const started = await deps.sample({
    caller,
    reauthenticate: exchange.reauthenticate,
    call: denied === null ? codec.decodeCall(params) : err(denied),
    declaredBy: () => request.declared,
    client: {
      name: nameIn(request.clientInfo, "name"),
      version: nameIn(request.clientInfo, "version"),
      revision: codec.revision,
    },
    server: { id: server.id, policy: server.policy },
    tool: request.tool,
    messageId: request.messageId,
    replayKey: request.replayKey,
    propagated: propagatedIn(exchange.headers, _meta),
    content,
    bytes: request.oversizedBytes,
    startedAt: deps.now(),
    monotonicStart: deps.elapsed(),
    authMs: 0,
    slot: null,
    ...(request.waiting !== undefined && { waiting: request.waiting }),
  });
  const { requestId } = started;
  if (!started.outcome.ok) return { requestId, answeredBy: "this-call", outcome: started.outcome };
  try {
    const { answeredBy, outcome } = await started.outcome.value(signal);
    return { requestId, answeredBy, outcome };
  } catch (thrown) {
    deps.report(requestId, thrown);
    return { requestId, answeredBy: "this-call", outcome: err({ reason: "internal" }) };
  }
}
