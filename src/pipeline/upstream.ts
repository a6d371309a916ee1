/**
 * One request to a registered server. Promises never to send a client's `Authorization` (unless the
 * entry says so), its cookies or its router key, never to follow a redirect, and never to hand on the
 * server's `WWW-Authenticate`: a client rightly refuses metadata of a resource that it didn't call.
 */
import { hopsHeader, nextHop } from "../domain/hops.ts";
import type { SealedServer } from "../domain/servers.ts";
import { refusalTable, serverFailed, type Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { UpstreamFetch } from "../domain/upstream.ts";
import { leadsBack, problemWithUpstream } from "../domain/upstreams.ts";
import { withKnownMedia } from "./answer-media.ts";
import type { UpstreamHeaders } from "./upstream-headers.ts";

/**
 * Belong to one hop (RFC 9110, section 7.6.1), to this one's caller, or to a browser; or make some servers
 * take the request for one to another place, or of another method, than the entry's.
 */
const keptBack = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "keep-alive",
  "origin",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "referer",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-real-ip",
  "x-rewrite-url",
  hopsHeader,
  "x-sampling-router-key",
]);
const keptBackPrefix = /^(cf-|sec-|x-forwarded-|access-control-)/;

/**
 * What must not travel back: the connection's, the coding that `fetch` has undone, other origins' rules.
 * A browser takes some headers for the whole origin, which is every tenant's.
 */
const notReturned = new Set([
  "accept-ch",
  "alt-svc",
  "clear-site-data",
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "nel",
  "origin-agent-cluster",
  "proxy-authenticate",
  "refresh",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "set-cookie",
  "set-cookie2",
  "strict-transport-security",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "www-authenticate",
]);

const tooManyHops = "The request has passed too many routers.";

export interface Sending {
  server: SealedServer;
  method: "POST" | "GET" | "DELETE";
  /** as the client sent them, or as the router makes them up */
  headers: Headers;
  /** the client's `Authorization`, where its key came in the other header; null: none to forward */
  authorization: string | null;
  body: Uint8Array<ArrayBuffer> | string | null;
  /** ends the request, and the response's body */
  signal: AbortSignal;
  /** ms until the response's headers */
  timeoutMs: number;
}

/** Headers of a response as the client may see them, names in lower case. */
export function returnedHeaders(from: Headers): Record<string, string> {
  const headers: Record<string, string> = {};
  from.forEach((value, name) => {
    if (!notReturned.has(name) && !name.startsWith("access-control-")) headers[name] = value;
  });
  return headers;
}

function sentHeaders(from: Headers, own: Record<string, string>): Record<string, string> {
  const owned = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const connection = from.get("connection");
  const named = new Set(connection?.split(",").map((name) => name.trim().toLowerCase()));
  const headers: Record<string, string> = {};
  from.forEach((value, name) => {
    if (named.has(name) || name === "mcp_session_id") return;
    // Many servers read both as one character: the client's would stand for the entry's, or for ours.
    const read = name.replaceAll("_", "-");
    if (!keptBack.has(read) && !keptBackPrefix.test(read) && !owned.has(read))
      headers[name] = value;
  });
  return headers;
}

export function createUpstream(deps: {
  fetch: UpstreamFetch;
  credentials: UpstreamHeaders;
  after: (ms: number, act: () => void) => () => void;
  allowPrivate: boolean;
  /** where this router is reached itself */
  ownOrigins: readonly string[];
}) {
  const { fetch: send, credentials, after, allowPrivate, ownOrigins } = deps;
  const once = async (
    sending: Sending & { hop: string },
    own: Record<string, string>,
  ): Promise<Result<Response, Refusal>> => {
    const { server, method, body, signal } = sending;
    const headers = sentHeaders(sending.headers, own);
    if (sending.authorization !== null && server.forwardAuthorization)
      headers["authorization"] = sending.authorization;
    for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value;
    headers[hopsHeader] = sending.hop;
    // By hand: `AbortSignal.any` and signals that end timers are what this took most of its time for.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    let late = false;
    const arrived = after(sending.timeoutMs, () => {
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
      if (!isLoop && (response.status < 300 || response.status >= 400))
        return server.sampling === "client"
          ? ok(response)
          : await withKnownMedia(response, { method, after });
      await response.body?.cancel();
      if (isLoop) return err({ reason: "loop_detected", detail: tooManyHops });
      return err(serverFailed("It redirects, which is not followed.", response.status));
    } catch {
      if (signal.aborted) return err({ reason: "cancelled" });
      return err(late ? { reason: "server_timeout" } : serverFailed("It can't be reached."));
    } finally {
      arrived();
    }
  };

  return async (sending: Sending): Promise<Result<Response, Refusal>> => {
    const { server } = sending;
    // An entry may be older than the rule, or the setting, by which it would be refused today.
    const problem = problemWithUpstream(server.url, { allowPrivate, ownOrigins });
    if (problem === leadsBack) return err({ reason: "loop_detected", detail: problem });
    if (problem !== null) return err(serverFailed(problem));
    const hop = nextHop(sending.headers.get(hopsHeader));
    if (hop === null) return err({ reason: "loop_detected", detail: tooManyHops });
    for (let first = true; ; first = false) {
      const own = await credentials.headersFor(server);
      if (!own.ok) return own;
      const sent = await once({ ...sending, hop }, own.value);
      if (!sent.ok || sent.value.status !== 401) {
        if (sent.ok && server.status === "failing") await credentials.onAuthorized(server);
        return sent;
      }
      await sent.value.body?.cancel();
      // Nothing of the entry's was refused: whoever calls next may bring a better one.
      if (server.forwardAuthorization)
        return err({
          reason: "server_unauthorized",
          detail:
            sending.authorization === null
              ? "It answered 401: it wants an Authorization header of the caller's own, beside the router's key in X-Sampling-Router-Key."
              : "It answered 401: it refused the caller's own Authorization header.",
        });
      const told = await credentials.onUnauthorized(server, own.value);
      if (!told.ok) return told;
      // A token that ended early has a successor by now; anything else is refused again.
      if (server.oauth === null || !first)
        return err({ reason: "server_unauthorized", detail: "It answered 401." });
    }
  };
}

export type Upstream = ReturnType<typeof createUpstream>;
