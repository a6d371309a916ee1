/**
 * HTTP of one OAuth step: every URL is checked, redirects are not followed, one deadline covers all requests,
 * and answers are bounded. Errors become faults without text, which may hold secrets.
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
import { statusReason, noAnswerReason } from "../domain/network-fault.ts";
import { oauthFaults, unreachable, type OauthFault } from "../domain/servers/oauth.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { problemWithEndpoint } from "../domain/servers/upstreams.ts";

const deadlineMs = 20_000;
const maxBytes = 256 * 1024;

export interface ExchangeDeps {
  fetch: typeof fetch;
  allowPrivate: boolean;
  /** `drop` removes ID tokens */
  idTokens: "keep" | "drop";
}

/** Removes unneeded ID tokens, which the library might reject, and `null` members. */
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

/** The success status that the library requires: 200 for tokens (form requests), 201 for registrations. */
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
      bytes = await readBounded(answer.body, maxBytes);
    } catch (thrown) {
      return stop(unreachable(noAnswerReason(url, thrown)));
    }
    if (bytes === null) return stop("malformed");
    if (answer.status >= 500 || answer.status === 429)
      return stop(unreachable(statusReason(url, answer.status)));
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
    fetch: fetchChecked,
    options: { [customFetch]: fetchChecked, [allowInsecureRequests]: allowPrivate, signal },
    allowPrivate,
    async attempt<T>(work: () => Promise<T>): Promise<Result<T, OauthFault>> {
      fault = null;
      try {
        return ok(await work());
      } catch (thrown) {
        const found = fault ?? faultOf(thrown);
        // Each step has its own fault.
        fault = null;
        return err(found);
      }
    },
  };
}
