/** A sampling request that a server sent, as the pipeline takes it; and its outcome, as the wire wants it. */
import { isDeeperThan, mostMessageLevels } from "../domain/depth.ts";
import { own, type JsonObject } from "../domain/json.ts";
import type { ReplayKey } from "../domain/sampling/replay-key.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, type Result } from "../domain/result.ts";
import type { Codec } from "../mcp/codec.ts";
import { type RequestId } from "../mcp/json-text/exact-ids.ts";
import { errorMessage, resultMessage } from "../mcp/jsonrpc.ts";
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
  /** of `sampling/createMessage`, raw */
  params: JsonObject;
  codec: Codec;
  /** what may be asked: what the router advertised to the server, and the client's tags */
  declared: Declared;
  clientInfo: JsonObject;
  /** the tool being called; null: the stream doesn't tell */
  tool: string | null;
  /** the client's request that it belongs to, as JSON, by which its session can take it back */
  messageId: string | null;
  /** the key by which the request is known again; null: the request is new */
  replayKey: ReplayKey | null;
  /** of what was too large to be kept in `params`; null: `params` is what was asked */
  oversizedBytes: number | null;
  /** how the server waits for a person; absent: as most do */
  waiting?: () => Waiting;
  /** why the request is refused before anything is chosen; null: it isn't refused */
  denied: Refusal | null;
}

export interface SamplingOutcome {
  /** of the audit record */
  requestId: string;
  /** who did the work */
  answeredBy: AnsweredBy;
  outcome: Result<Finished, Refusal>;
}

const nameIn = (clientInfo: JsonObject, key: string): string | null => {
  const value = own(clientInfo, key);
  return typeof value === "string" ? value.slice(0, 200) : null;
};

/** The message itself is one level around its `params`. */
const mostParamsLevels = mostMessageLevels - 1;
const tooDeep: Refusal = {
  reason: "invalid_params",
  path: "params",
  detail: `Nested deeper than ${mostMessageLevels} levels.`,
};

/** What sampling for a server needs. */
export type SamplingDeps = Pick<ProxyServices, "sample" | "now" | "elapsed" | "report">;

/** Samples, and settles whatever happens. A throw inside becomes the refusal `internal`. */
export async function sampleForServer(
  deps: SamplingDeps,
  asked: {
    /** caller and server as they are now: the exchange may be older */
    caller: Caller;
    server: Exchange["server"];
    exchange: Pick<Exchange, "again" | "headers">;
    request: ServerSamplingRequest;
    signal: AbortSignal;
  },
): Promise<SamplingOutcome> {
  const { caller, server, exchange, request, signal } = asked;
  const { codec } = request;
  // A record has to be made of what was asked, and what makes it walks the params by recursion.
  const isTooDeep = isDeeperThan(request.params, mostParamsLevels);
  const params = isTooDeep ? {} : request.params;
  const denied = request.denied ?? (isTooDeep ? tooDeep : null);
  const { _meta, ...content } = withoutIdempotencyKey(params);
  const started = await deps.sample({
    caller,
    again: exchange.again,
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
    beganAt: deps.elapsed(),
    authMs: 0,
    turn: null,
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

/** The JSON-RPC message that answers the server. */
export function answerMessage(
  id: RequestId,
  codec: Codec,
  { requestId, outcome }: Omit<SamplingOutcome, "answeredBy">,
): Record<string, unknown> {
  if (!outcome.ok)
    return errorMessage(id, outcome.error, codec.wireOf(outcome.error).code, requestId);
  const { answer, call } = outcome.value;
  // Without the decision: what a call costs its tenant is no server's business.
  return resultMessage(id, codec.encodeAnswer(answer, call, {}));
}
