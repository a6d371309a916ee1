/** A sampling request as a surface hands it in, and what its audit record holds from the beginning. */
import { askedOf, type Asked, type Opening } from "../../../domain/audit/record.ts";
import { outlineOf } from "../../../domain/sampling/capabilities.ts";
import { inputModalitiesOf } from "../../../domain/sampling/estimate.ts";
import type { ReplayKey } from "../../../domain/sampling/replay-key.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import type { Result } from "../../../domain/result.ts";
import type { SamplingCall } from "../../../domain/sampling/call.ts";
import type { Propagated } from "../../../domain/audit/trace.ts";
import type { CallTurn } from "../../../domain/sampling/call-turn.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { Declared } from "../choice/choose.ts";
import type { AskingServer } from "../../callers/scopes.ts";
import type { ModelEndpointName } from "../../../domain/model-endpoint.ts";
import type { JsonObject } from "../../../domain/json.ts";
import type { RequestContent } from "./request-content.ts";

/** What a caller can bear while a person decides. */
export interface Waiting {
  /** ms since the request's arrival */
  patienceMs: number;
  /** Tells the caller that it is not forgotten; absent: its protocol has no words for that. */
  progress?: () => void;
}

export interface SamplingRequest {
  caller: Caller;
  /** Reads the caller once more, from the database, since the first one may have come from memory. */
  again: () => Promise<Result<Caller, Refusal>>;
  call: Result<SamplingCall, Refusal>;
  /** absent: the call came as sampling */
  endpoint?: ModelEndpointName;
  /** what was declared, read from the caller as it is now */
  declaredBy: (caller: Caller) => Declared;
  client: { name: string | null; version: string | null; revision: string | null };
  /** the registered server that asks, through the proxy; null: the caller asks for itself */
  server: AskingServer | null;
  /** the tool that was being called, where the stream named it */
  tool: string | null;
  /** the key under which the call may be repeated; null: the call is new */
  replayKey: ReplayKey | null;
  /** the JSON-RPC id, as JSON, by which a session can cancel the call; null: it can't */
  messageId: string | null;
  /** the params, but for their `_meta` */
  content: RequestContent;
  bytes: number;
  /** ms since the epoch */
  startedAt: number;
  /** the same moment by the clock of durations */
  beganAt: number;
  authMs: number;
  /** the turn that the request came with; null: the call takes a turn of its own */
  turn: CallTurn | null;
  /** how the caller waits for a person; absent: as most do */
  waiting?: () => Waiting;
  /** the caller's trace context */
  propagated: Propagated;
}

/** A request whose content is still unread. */
export interface UnreadRequest extends Omit<SamplingRequest, "content" | "bytes"> {
  content: JsonObject;
  /** null: as many as its content has */
  bytes: number | null;
}

/** The first revision whose requests declare capabilities themselves. */
const firstWithoutSessions = "2026-07-28";

function declaredIn({ caller, client, declaredBy }: SamplingRequest): Pick<Asked, "declared"> {
  if ((client.revision ?? "") < firstWithoutSessions || caller.session !== null) return {};
  const { raw, capabilities } = declaredBy(caller);
  return { declared: outlineOf(raw?.capabilities ?? capabilities) };
}

export const openingOf = (request: SamplingRequest, id: string): Opening => ({
  id,
  who: {
    tenantId: request.caller.snapshot.tenant.id,
    keyId: request.caller.snapshot.key.id,
    ...(request.caller.user !== undefined && { user: request.caller.user.id }),
    sessionId: request.caller.session?.id ?? null,
    serverId: request.server?.id ?? null,
    tool: request.tool,
    clientName: request.client.name,
    clientVersion: request.client.version,
    revision: request.client.revision,
  },
  createdAt: request.startedAt,
  asked: request.call.ok
    ? {
        ...(request.endpoint !== undefined && { endpoint: request.endpoint }),
        ...askedOf(request.call.value, request.bytes, inputModalitiesOf(request.call.value)),
        ...declaredIn(request),
      }
    : null,
  contentSha256: request.content.sha256,
});
