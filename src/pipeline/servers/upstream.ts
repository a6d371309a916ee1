/**
 * Never sends the client's cookies or router key, and follows no redirects. Drops `WWW-Authenticate`, whose
 * metadata clients reject for another resource.
 */
import type { MessageHeaders } from "../../domain/servers/message-headers.ts";
import { hopsHeader, nextHop } from "../../domain/servers/hops.ts";
import { sentBy, sentHeaders } from "../../domain/servers/proxied-headers.ts";
import type { SealedServer } from "../../domain/servers/server.ts";
import { noAnswerReason, timeoutReason } from "../../domain/network-fault.ts";
import { refusalTable, serverFailed, type Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { UpstreamAnswer, UpstreamFetch } from "../../domain/ports/upstream.ts";
import { knownProblemWithUpstream, leadsBack } from "../../domain/servers/upstreams.ts";
import { withKnownMedia } from "./answer-media.ts";
import type { OnBehalf } from "./server-accounts.ts";
import type { UpstreamHeaders } from "./upstream-headers.ts";

const uncoded =
  "application/json without a content coding, unless passHeaders of the server's entry names Content-Encoding";
const tooManyHops = "The request has passed too many routers.";

export interface Sending {
  server: SealedServer;
  caller: OnBehalf;
  method: "POST" | "GET" | "DELETE";
  headers: MessageHeaders;
  /** the client's `Authorization`, if the API key came in another header */
  authorization: string | null;
  body: Uint8Array<ArrayBuffer> | string | null;
  signal: AbortSignal;
  timeoutMs: number;
}

/** A body with a content coding that isn't forwarded would be unreadable. */
const isCodedUnseen = ({ body, headers, server }: Sending): boolean =>
  body instanceof Uint8Array &&
  !/^(identity)?$/i.test((headers.get("Content-Encoding") ?? "").trim()) &&
  !sentBy(server.passHeaders)("content-encoding");

export function createUpstream(deps: {
  fetch: UpstreamFetch;
  credentials: UpstreamHeaders;
  after: (ms: number, act: () => void) => () => void;
  allowPrivate: boolean;
  ownOrigins: readonly string[];
}) {
  const { fetch: send, credentials, after, allowPrivate, ownOrigins } = deps;
  const sendOnce = async (
    sending: Sending & { hop: string },
    own: Record<string, string>,
  ): Promise<Result<UpstreamAnswer, Refusal>> => {
    const { server, method, body, signal } = sending;
    const headers = sentHeaders(sending.headers, { passHeaders: server.passHeaders, own });
    if (sending.authorization !== null && server.forwardAuthorization)
      headers["authorization"] ??= sending.authorization;
    headers[hopsHeader] = sending.hop;
    // Replaces `AbortSignal.any` and timer signals, which took most of this function's time.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    let isOpen = false;
    let late = false;
    const stopTimer = after(sending.timeoutMs, () => {
      late = true;
      end();
    });
    try {
      const response = await send({
        url: server.url,
        method,
        headers,
        body,
        signal: ending.signal,
      });
      const isLoop = response.status === refusalTable.loop_detected.status;
      if (!isLoop && (response.status < 300 || response.status >= 400)) {
        const known =
          server.sampling === "client"
            ? ok(response)
            : await withKnownMedia(response, { method, after });
        isOpen = known.ok && known.value.body !== null;
        return known;
      }
      await response.body?.cancel();
      if (isLoop) return err({ reason: "loop_detected", detail: tooManyHops });
      return err(serverFailed("It redirects, which is not followed.", response.status));
    } catch (thrown) {
      if (signal.aborted) return err({ reason: "cancelled" });
      return err(
        late
          ? { reason: "server_timeout", detail: `${timeoutReason(server.url, thrown)}.` }
          : serverFailed(`It can't be reached: ${noAnswerReason(server.url, thrown)}.`),
      );
    } finally {
      stopTimer();
      if (!isOpen) signal.removeEventListener("abort", end);
    }
  };

  return async (sending: Sending): Promise<Result<UpstreamAnswer, Refusal>> => {
    const { server, caller } = sending;
    // Settings may be stricter than when the entry was written.
    const problem = knownProblemWithUpstream(server.url, { allowPrivate, ownOrigins });
    if (problem === leadsBack) return err({ reason: "loop_detected", detail: problem });
    if (problem !== null)
      return err({
        reason: "server_failed",
        serverStatus: null,
        detail: problem,
        retryable: false,
      });
    const hop = nextHop(sending.headers.get(hopsHeader));
    if (hop === null) return err({ reason: "loop_detected", detail: tooManyHops });
    if (isCodedUnseen(sending)) return err({ reason: "unsupported_media_type", expected: uncoded });
    for (let first = true; ; first = false) {
      const own = await credentials.headersFor(server, caller);
      if (!own.ok) return own;
      const sent = await sendOnce({ ...sending, hop }, own.value);
      const forbidden = sent.ok && sent.value.status === 403 ? sent.value : null;
      if (forbidden !== null) {
        const challenge = forbidden.headers.get("WWW-Authenticate");
        const about = { caller, sent: own.value, challenge, isFirst: first };
        const noted = await credentials.onForbidden(server, about);
        if (!noted.ok || noted.value === "again") await forbidden.body?.cancel();
        if (!noted.ok) return noted;
        if (noted.value === "again") continue;
      }
      if (!sent.ok || sent.value.status !== 401) {
        if (sent.ok && server.status === "failing") await credentials.onAuthorized(server);
        return sent;
      }
      await sent.value.body?.cancel();
      // The client's own header was rejected, not the entry's.
      if (server.forwardAuthorization)
        return err({
          reason: "server_unauthorized",
          detail:
            sending.authorization === null
              ? "It answered 401: it requires an Authorization header from the caller, in addition to the router's key in X-Sampling-Router-Key."
              : "It answered 401: it refused the caller's own Authorization header.",
        });
      const noted = await credentials.onUnauthorized(server, { caller, sent: own.value });
      if (!noted.ok) return noted;
      // An expired token has a successor; anything else would be rejected again.
      if (server.oauth === null || !first) return credentials.onRefusedAgain(server, caller);
    }
  };
}

export type Upstream = ReturnType<typeof createUpstream>;
