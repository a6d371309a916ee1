/**
 * The HTTP requests of one OAuth step. Each URL is checked, whoever named it. No redirect is followed,
 * one deadline holds for all requests, and answers are bounded. What went wrong is kept as a fault,
 * since a thrown text may hold secrets.
 */
import {
  allowInsecureRequests,
  customFetch,
  ResponseBodyError,
  AuthorizationResponseError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import { readBounded } from "../domain/bounded-body.ts";
import { isObject } from "../domain/json.ts";
import { answeredStatus, whyNoAnswer } from "../domain/network-fault.ts";
import { oauthFaults, unreachable, type OauthFault } from "../domain/servers/oauth.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { problemWithEndpoint } from "../domain/servers/upstreams.ts";

const deadlineMs = 20_000;
const mostBytes = 256 * 1024;

export interface ExchangeDeps {
  fetch: typeof fetch;
  allowPrivate: boolean;
  /** `drop`: ID tokens are taken out of answers */
  idTokens: "keep" | "drop";
}

/**
 * The router has no use for a server's id token, and an id token that the library can't verify would spoil the
 * tokens beside it. Nor does the library take null for a member that is absent, as some servers write it.
 */
function readable(
  bytes: Uint8Array<ArrayBuffer>,
  { idTokens, method }: { idTokens: "keep" | "drop"; method: string },
): BodyInit {
  if (idTokens === "keep" && method !== "POST") return bytes;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isObject(value)) return bytes;
    const kept = Object.entries(value).filter(
      ([name, member]) =>
        (idTokens === "keep" || name !== "id_token") && (method !== "POST" || member !== null),
    );
    return JSON.stringify(Object.fromEntries(kept));
  } catch {
    return bytes;
  }
}

/** The status that the library wants of a success: 200 of a token endpoint, which takes a form, and 201 of a registration. */
const wantedStatus = (
  { method, body }: { method: string; body?: unknown },
  status: number,
): number => {
  if (method !== "POST" || (status !== 200 && status !== 201)) return status;
  return body instanceof URLSearchParams ? 200 : 201;
};

const faultNamed = (code: unknown): OauthFault =>
  oauthFaults.find((each) => each === code) ?? "malformed";

function faultOf(thrown: unknown): OauthFault {
  if (thrown instanceof ResponseBodyError || thrown instanceof AuthorizationResponseError)
    return faultNamed(thrown.error);
  return thrown instanceof WWWAuthenticateChallengeError ? "invalid_client" : "malformed";
}

export type Exchange = ReturnType<typeof createExchange>;

export function createExchange({ fetch: send, allowPrivate, idTokens }: ExchangeDeps) {
  const signal = AbortSignal.timeout(deadlineMs);
  let fault: OauthFault | null = null;
  const stop = (found: OauthFault): never => {
    fault = found;
    throw new Error(found);
  };
  const fetchChecked = async (
    url: string,
    init: { method: string; headers: Record<string, string>; body?: BodyInit | undefined },
  ): Promise<Response> => {
    if (problemWithEndpoint(url, { allowPrivate }) !== null) return stop("not_allowed");
    let answer: Response;
    let bytes: Uint8Array<ArrayBuffer> | null;
    try {
      answer = await send(url, {
        method: init.method,
        headers: init.headers,
        ...(init.body !== undefined && { body: init.body }),
        redirect: "manual",
        signal,
      });
      bytes = await readBounded(answer.body, mostBytes);
    } catch (thrown) {
      return stop(unreachable(whyNoAnswer(url, thrown)));
    }
    if (bytes === null) return stop("malformed");
    if (answer.status >= 500 || answer.status === 429)
      return stop(unreachable(answeredStatus(url, answer.status)));
    const { headers } = answer;
    const status = wantedStatus(init, answer.status);
    if (status < 200 || status > 599) return stop("malformed");
    const empty = status === 204 || status === 205 || status === 304;
    return new Response(empty ? null : readable(bytes, { idTokens, method: init.method }), {
      status,
      headers: {
        "Content-Type": headers.get("Content-Type") ?? "",
        ...(headers.has("WWW-Authenticate") && {
          "WWW-Authenticate": headers.get("WWW-Authenticate") ?? "",
        }),
      },
    });
  };
  return {
    /** Options for every request of the library. */
    options: { [customFetch]: fetchChecked, [allowInsecureRequests]: allowPrivate, signal },
    allowPrivate,
    /** Runs one step; whatever the step throws becomes a fault. */
    async attempt<T>(work: () => Promise<T>): Promise<Result<T, OauthFault>> {
      fault = null;
      try {
        return ok(await work());
      } catch (thrown) {
        const found = fault ?? faultOf(thrown);
        // A step around this one may go on, and has faults of its own.
        fault = null;
        return err(found);
      }
    },
  };
}
