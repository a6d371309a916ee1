/**
 * What the sender of a proxied message waits for: how the exchange counts while it is open, and how its answer
 * may begin.
 */
import type { OpenKind } from "../domain/limits/open-limits.ts";
import { whyTooLate } from "../domain/network-fault.ts";
import type { Refusal } from "../domain/refusals.ts";
import { discoverMethod } from "../mcp/translate/discovery.ts";
import { legacyWireOf, modernWireOf } from "../mcp/faults.ts";
import { type RequestId } from "../mcp/json-text/exact-ids.ts";
import { errorMessage } from "../mcp/jsonrpc.ts";
import { requestsIn, type ProxiedBody } from "../mcp/message.ts";
import { refuse, type Exchange } from "./exchange.ts";
import { restOf, streamOf } from "./early-answer.ts";
import { takesStream } from "./media-type.ts";
import type { Early } from "./open-answer.ts";

/** 2026-07-28 has no GET. The stream of a client's subscriptions answers this request. */
const listenMethod = "subscriptions/listen";
/** Their answers bring the session's id in a header, or tell by their status which era the server speaks. */
const saidInHeaders: ReadonlySet<string> = new Set(["initialize", discoverMethod]);

export function openKindOf(method: Exchange["method"], body: ProxiedBody | null): OpenKind {
  if (method === "GET") return "streams";
  const [request] = body === null ? [] : requestsIn(body);
  if (request === undefined) return "messages";
  return request.method === listenMethod ? "streams" : "requests";
}

export function earlyFor(exchange: Exchange, modern: boolean): Early {
  const { method, body, headers, requestId, server } = exchange;
  if (method === "GET") return { kind: "begins", as: "events", rest: streamOf };
  const [request] = body === null ? [] : requestsIn(body);
  const wireOf = modern ? modernWireOf : legacyWireOf;
  const waitsFor = (id: RequestId | null): Early => ({
    kind: "waits",
    tooLate: () =>
      refuse(
        { reason: "server_timeout", detail: `${whyTooLate(server.url, null)}.` },
        { id, requestId, wireOf },
      ),
  });
  // What nobody has read may be a request, so its client may wait for more than the word that it was sent.
  if (method === "POST" && body === null) return waitsFor(null);
  if (request === undefined) return { kind: "accepted" };
  const { id } = request;
  if (saidInHeaders.has(request.method)) return waitsFor(id);
  const as = takesStream(headers) ? "events" : "json";
  const refusalText = (refusal: Refusal): string =>
    JSON.stringify(errorMessage(id, refusal, wireOf(refusal).code, requestId));
  const idText = body?.batch === true ? null : JSON.stringify(id);
  return {
    kind: "begins",
    as,
    rest: (response) => restOf(response, { kind: as, idText, refusalText }),
  };
}
