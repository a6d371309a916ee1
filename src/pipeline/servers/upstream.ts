/**
 * Sends messages to registered servers, without the client's cookies and router key, and without following
 * redirects. Drops `WWW-Authenticate`: its metadata names the server, and clients reject it because they connected
 * to the router.
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

const acceptedContent =
  "application/json. Send Content-Encoding only if the server entry's passHeaders includes it";
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

/** The server couldn't decode such a body. */
const losesContentCoding = ({ body, headers, server }: Sending): boolean =>
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
    // `AbortSignal.any` and timer signals would take most of this function's time.
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    let isBodyOpen = false;
    let hasTimedOut = false;
    const stopTimer = after(sending.timeoutMs, () => {
      hasTimedOut = true;
      abort();
    });
    try {
      const response = await send({
        url: server.url,
        method,
        headers,
        body,
        signal: controller.signal,
      });
      const isLoop = response.status === refusalTable.loop_detected.status;
      if (!isLoop && (response.status < 300 || response.status >= 400)) {
        const checked =
          server.sampling === "client"
            ? ok(response)
            : await withKnownMedia(response, { method, after });
        isBodyOpen = checked.ok && checked.value.body !== null;
        return checked;
      }
      await response.body?.cancel();
      if (isLoop) return err({ reason: "loop_detected", detail: tooManyHops });
      return err(
        serverFailed(
          "It answered with a redirect, and the router doesn't follow redirects.",
          response.status,
        ),
      );
    } catch (thrown) {
      if (signal.aborted) return err({ reason: "cancelled" });
      return err(
        hasTimedOut
          ? { reason: "server_timeout", detail: `${timeoutReason(server.url, thrown)}.` }
          : serverFailed(`It can't be reached: ${noAnswerReason(server.url, thrown)}.`),
      );
    } finally {
      stopTimer();
      if (!isBodyOpen) signal.removeEventListener("abort", abort);
    }
  };

  return async (sending: Sending): Promise<Result<UpstreamAnswer, Refusal>> => {
    const { server, caller } = sending;
    // Settings may have become stricter since the entry was saved.
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
    if (losesContentCoding(sending))
      return err({ reason: "unsupported_media_type", expected: acceptedContent });
    for (let first = true; ; first = false) {
      const ownHeaders = await credentials.headersFor(server, caller);
      if (!ownHeaders.ok) return ownHeaders;
      const sent = await sendOnce({ ...sending, hop }, ownHeaders.value);
      const forbidden = sent.ok && sent.value.status === 403 ? sent.value : null;
      if (forbidden !== null) {
        const challenge = forbidden.headers.get("WWW-Authenticate");
        const about = { caller, sent: ownHeaders.value, challenge, isFirst: first };
        const outcome = await credentials.onForbidden(server, about);
        if (!outcome.ok || outcome.value === "again") await forbidden.body?.cancel();
        if (!outcome.ok) return outcome;
        if (outcome.value === "again") continue;
      }
      if (!sent.ok || sent.value.status !== 401) {
        if (sent.ok && server.status === "failing") await credentials.onAuthorized(server);
        return sent;
      }
      await sent.value.body?.cancel();
      // The rejected header is the client's, not one of the server entry.
      if (server.forwardAuthorization)
        return err({
          reason: "server_unauthorized",
          detail:
            sending.authorization === null
              ? "It answered 401: send an Authorization header for this server, and the router's API key in X-Sampling-Router-Key."
              : "It answered 401: it refused the caller's own Authorization header.",
        });
      const outcome = await credentials.onUnauthorized(server, { caller, sent: ownHeaders.value });
      if (!outcome.ok) return outcome;
      // Only an OAuth token can be renewed, and a renewed token isn't retried.
      if (server.oauth === null || !first) return credentials.onRefusedAgain(server, caller);
    }
  };
}

export type Upstream = ReturnType<typeof createUpstream>;
