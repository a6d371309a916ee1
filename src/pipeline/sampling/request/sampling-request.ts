import { askedOf, type Asked, type Opening, type Who } from "../../../domain/audit/record.ts";
import type { PassedRequest } from "../../../domain/passing.ts";
import { outlineOf } from "../../../domain/sampling/capabilities.ts";
import { inputModalitiesOf } from "../../../domain/sampling/estimate.ts";
import type { ReplayKey } from "../../../domain/sampling/replay-key.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import type { Result } from "../../../domain/result.ts";
import type { SamplingCall } from "../../../domain/sampling/call.ts";
import type { User } from "../../../domain/tenancy/user.ts";
import type { Propagated } from "../../../domain/audit/trace.ts";
import type { CallSlot } from "../../../domain/sampling/call-slot.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { Declared } from "../choice/choose.ts";
import type { AskingServer } from "../../callers/scopes.ts";
import type { ModelEndpointName } from "../../../domain/model-endpoint.ts";
import type { JsonObject } from "../../../domain/json.ts";
import type { StreamReader } from "../../../domain/sampling/stream-parts.ts";
import type { RequestContent } from "./request-content.ts";

export interface Waiting {
  /** ms since the request's arrival */
  patienceMs: number;
  /** Keeps the caller's connection alive; absent if its protocol can't */
  progress?: () => void;
}

export interface SamplingRequest {
  caller: Caller;
  /** Rereads the caller from the database. */
  reauthenticate: () => Promise<Result<Caller, Refusal>>;
  call: Result<SamplingCall, Refusal>;
  endpoint?: ModelEndpointName;
  /** what a provider that speaks the endpoint's wire is sent; absent: every provider is sent the call */
  passed?: (caller: Caller) => Omit<PassedRequest, "addsLimit">;
  /** capabilities of the current caller */
  declaredBy: (caller: Caller) => Declared;
  client: { name: string | null; version: string | null; revision: string | null };
  server: AskingServer | null;
  tool: string | null;
  replayKey: ReplayKey | null;
  /** JSON-RPC id as JSON, by which a session can cancel */
  messageId: string | null;
  /** params without `_meta` */
  content: RequestContent;
  bytes: number;
  /** ms since the epoch */
  startedAt: number;
  /** the same time on the monotonic clock */
  monotonicStart: number;
  authMs: number;
  slot: CallSlot | null;
  /** absent: the answer is requested as a whole */
  reader?: StreamReader;
  waiting?: () => Waiting;
  propagated: Propagated;
}

export interface UnreadRequest extends Omit<SamplingRequest, "content" | "bytes"> {
  content: JsonObject;
  /** `null` for the size of the content */
  bytes: number | null;
}

export type Arrival = Pick<
  UnreadRequest,
  "bytes" | "startedAt" | "monotonicStart" | "authMs" | "slot"
>;

/** The first revision whose requests declare capabilities. */
const firstWithoutSessions = "2026-07-28";

function declaredIn({ caller, client, declaredBy }: SamplingRequest): Pick<Asked, "declared"> {
  if ((client.revision ?? "") < firstWithoutSessions || caller.session !== null) return {};
  const { raw, capabilities } = declaredBy(caller);
  return { declared: outlineOf(raw?.capabilities ?? capabilities) };
}

const personOf = (user: User | undefined): Pick<Who, "user" | "groups"> => ({
  ...(user !== undefined && { user: user.id }),
  ...(user?.groups !== undefined && user.groups.length > 0 && { groups: user.groups }),
});

export const openingOf = (request: SamplingRequest, id: string): Opening => ({
  id,
  who: {
    tenantId: request.caller.snapshot.tenant.id,
    keyId: request.caller.snapshot.key.id,
    ...personOf(request.caller.user),
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
        ...(request.reader !== undefined && { streamed: true as const }),
        ...askedOf(request.call.value, request.bytes, inputModalitiesOf(request.call.value)),
        ...declaredIn(request),
      }
    : null,
  contentSha256: request.content.sha256,
});
