import type { Refusal } from "../../domain/refusals.ts";
import { notTranslated } from "../../domain/servers/bridging.ts";
import type { MessageHeaders } from "../../domain/servers/message-headers.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { legacyWireOf } from "../../mcp/faults.ts";
import type { Codec } from "../../mcp/codec.ts";
import type { RequestId } from "../../mcp/json-text/exact-ids.ts";
import { errorMessage, resultMessage } from "../../mcp/jsonrpc.ts";
import type { Upstream, Sending } from "../../pipeline/servers/upstream.ts";
import type { SamplingOutcome } from "../sample-for-server.ts";

const tries = 3;
const waitMs = 500;
const timeoutMs = 15_000;
/** The first revision that has the header `MCP-Protocol-Version`. */
const firstWithHeader = "2025-06-18";

/** Sends what a server has to get, again while it can't take it. @returns the last status; 0: none */
export function createDeliver(deps: { upstream: Upstream; wait: (ms: number) => Promise<void> }) {
  const { upstream, wait } = deps;
  return async (
    message: Pick<Sending, "server" | "caller" | "headers" | "authorization" | "body"> &
      Partial<Pick<Sending, "method">>,
  ) => {
    // Never aborted. A signal shared by all answers would keep a listener of each.
    const { signal } = new AbortController();
    for (let count = 1; ; count += 1) {
      const sent = await upstream({ method: "POST", ...message, signal, timeoutMs });
      // An open body would occupy one of the invocation's few connections.
      if (sent.ok) await sent.value.body?.cancel();
      const status = sent.ok ? sent.value.status : 0;
      if ((status > 0 && status < 500) || count === tries) return status;
      await wait(waitMs * count);
    }
  };
}

export type Deliver = ReturnType<typeof createDeliver>;

export function answerText(
  id: RequestId,
  codec: Codec,
  { requestId, outcome }: Pick<SamplingOutcome, "requestId" | "outcome">,
): string {
  if (!outcome.ok)
    return JSON.stringify(
      errorMessage(id, outcome.error, codec.wireOf(outcome.error).code, requestId),
    );
  const { answer, call } = outcome.value;
  // Without the decision: a call's cost is not for the server.
  return JSON.stringify(resultMessage(id, codec.encodeAnswer(answer, call, {})));
}

export function answerHeaders(
  from: MessageHeaders,
  { revision, session }: { revision: string; session: Session | null },
): Headers {
  const headers = new Headers([...from]);
  for (const name of ["Last-Event-ID", "Mcp-Session-Id"]) headers.delete(name);
  headers.set("Content-Type", "application/json");
  headers.set("Accept", "application/json, text/event-stream");
  const upstreamId = session?.upstreamId ?? null;
  if (upstreamId !== null) headers.set("Mcp-Session-Id", upstreamId);
  if (!headers.has("MCP-Protocol-Version") && revision >= firstWithHeader)
    headers.set("MCP-Protocol-Version", revision);
  return headers;
}

function refusalOf(method: string): Refusal {
  const detail = notTranslated("modern");
  if (method === "elicitation/create")
    return {
      reason: "capability_missing",
      requiredCapabilities: { elicitation: {} },
      detail: `${detail}; questions work with "parking": true in the entry`,
    };
  if (method === "roots/list")
    return { reason: "capability_missing", requiredCapabilities: { roots: {} }, detail };
  return { reason: "method_not_found", method: method.slice(0, 100) };
}

/** The answer to a request that only a client could fulfil; behind a bridge there is no client to ask. */
export function declineClientRequest(
  { id, method }: { id: RequestId; method: string },
  requestId: string,
): Record<string, unknown> {
  if (method === "ping") return resultMessage(id, {});
  const refusal = refusalOf(method);
  return errorMessage(id, refusal, legacyWireOf(refusal).code, requestId);
}
