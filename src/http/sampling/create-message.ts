import type { JsonObject } from "../../domain/json.ts";
import { own } from "../../domain/json.ts";
import { featuresOf } from "../../domain/sampling/negotiation.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";
import type { Codec } from "../../mcp/codec.ts";
import { type RequestId } from "../../mcp/json-text/exact-ids.ts";
import { errorMessage, resultMessage } from "../../mcp/jsonrpc.ts";
import type { Finished } from "../../pipeline/sampling/states/states.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";
import type { Timings } from "../../domain/audit/spans.ts";
import type {
  Arrival,
  UnreadRequest,
  Waiting,
} from "../../pipeline/sampling/request/sampling-request.ts";
import type { CreateMessageServices } from "../sampling-services.ts";
import { messageKey } from "../../pipeline/sampling/request/message-key.ts";
import { idempotencyKeyOf } from "../../mcp/idempotency-key.ts";
import { limitHeaders } from "../../mcp/refusal-headers.ts";
import { patienceOf } from "./waiting.ts";
import { approvalMessage, patienceWithProgressMs, progressOf } from "../../mcp/progress.ts";
import { refusalReply, type SingleReply } from "../../mcp/reply.ts";
import { propagatedIn } from "../../mcp/trace-context.ts";

export const createMessageMethods = ["sampling/createMessage", "sampling-router/createMessage"];

export interface CreateMessage {
  id: RequestId;
  params: JsonObject;
  codec: Codec;
  caller: Caller;
  reauthenticate: () => Promise<Result<Caller, Refusal>>;
  capabilitiesOf: (caller: Caller) => JsonObject;
  clientInfo: JsonObject;
  headers: Pick<Headers, "get">;
  arrival: Arrival;
  cancelsOnDisconnect: boolean;
}

const nameIn = (clientInfo: JsonObject, key: string): string | null => {
  const value = own(clientInfo, key);
  return typeof value === "string" ? value.slice(0, 200) : null;
};

const serverTiming = (timing: Timings): string =>
  Object.entries(timing)
    .map(([name, ms]) => `${name};dur=${ms}`)
    .join(", ");

async function samplingRequestOf(
  deps: CreateMessageServices,
  input: CreateMessage,
  waiting: () => Waiting,
): Promise<UnreadRequest> {
  const { id, params, codec, caller } = input;
  const { _meta, ...content } = params;
  const call = codec.decodeCall(params);
  const key = idempotencyKeyOf(input.headers, params);
  return {
    caller,
    reauthenticate: input.reauthenticate,
    call: key.ok ? call : key,
    replayKey:
      key.ok && key.value !== null
        ? { kind: "client", key: await deps.sha256Hex(key.value) }
        : null,
    declaredBy(current) {
      const raw = input.capabilitiesOf(current);
      return {
        capabilities: codec.capabilitiesOf(raw),
        features: featuresOf(raw),
        raw: { capabilities: raw, revision: codec.revision },
      };
    },
    client: {
      name: nameIn(input.clientInfo, "name"),
      version: nameIn(input.clientInfo, "version"),
      revision: codec.revision,
    },
    server: null,
    tool: null,
    content,
    messageId: input.cancelsOnDisconnect ? null : await messageKey(deps, JSON.stringify(id)),
    ...input.arrival,
    waiting,
    propagated: propagatedIn(input.headers, _meta),
  };
}

export async function createMessage(
  deps: CreateMessageServices,
  input: CreateMessage,
): Promise<SingleReply> {
  const { id, params, codec } = input;
  let waiting: Waiting = { patienceMs: patienceOf(input.headers) };
  const started = await deps.sample(await samplingRequestOf(deps, input, () => waiting));
  const { requestId, limits, outcome } = started;
  if (!outcome.ok)
    return refusalReply(id, outcome.error, requestId, {
      limits,
      wireOf: codec.wireOf,
      timing: serverTiming(started.timing),
    });
  const run = outcome.value;
  const failed = (refusal: Refusal, timing: Timings) => ({
    message: errorMessage(id, refusal, codec.wireOf(refusal).code, requestId),
    timing: serverTiming(timing),
  });
  return {
    kind: "running",
    headers: { "X-Request-Id": requestId, ...limitHeaders(limits, null) },
    running: {
      cancelsOnDisconnect: input.cancelsOnDisconnect,
      async finish(signal, notify) {
        const progress =
          notify === undefined
            ? null
            : progressOf(params, deps.elapsed, { message: approvalMessage, notify });
        if (progress !== null) waiting = { patienceMs: patienceWithProgressMs, progress };
        try {
          const ended = await run(signal);
          if (!ended.outcome.ok) return failed(ended.outcome.error, ended.timing);
          return {
            message: resultMessage(id, encodedAnswer(codec, params, ended.outcome.value)),
            timing: serverTiming(ended.timing),
          };
        } catch (thrown) {
          // The stream has started, so the app's error handler can't answer.
          deps.report(requestId, thrown);
          return failed({ reason: "internal" }, started.timing);
        }
      },
    },
  };
}

function encodedAnswer(codec: Codec, params: JsonObject, finished: Finished): JsonObject {
  const { answer, call, decision } = finished;
  const { ignored } = decision;
  const parameters = [...codec.unknownIn(params), ...ignored.parameters];
  const shown = { ...decision, ignored: { ...ignored, parameters } };
  const meta = { "sampling-router/decision": shown as unknown as JsonObject };
  return codec.encodeAnswer(answer, call, meta);
}
