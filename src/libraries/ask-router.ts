/** Calls `POST /v1/sampling` in revision 2026-07-28, which needs no session. */
import { withoutTrailing } from "../domain/bounded-url.ts";
import { isObject, own, parsedJson, type JsonValue } from "../domain/json.ts";
import { noAnswerReason } from "../domain/network-fault.ts";
import { isSamplingAnswer } from "../domain/sampling/rounds.ts";
import { localError, refusalIn, SamplingError } from "./sampling-error.ts";
import type { SamplingParams, SamplingResult } from "./sampling-shapes.ts";

export interface RouterSettings {
  /** the router's URL, for example `https://router.example`, with or without `/v1/sampling` */
  url: string | URL;
  /** an API key with the scope `sampling` */
  key: string | undefined;
  /** absent: the runtime's own */
  fetch?: typeof fetch | undefined;
}

export interface AskOptions {
  /** also cancels the provider call */
  signal?: AbortSignal | undefined;
  /** ms for all attempts; absent: 60,000 */
  timeoutMs?: number | undefined;
  /** absent: random, for safe retries of this call */
  idempotencyKey?: string | undefined;
}

export type AskRouter = (params: SamplingParams, options?: AskOptions) => Promise<SamplingResult>;

const revision = "2026-07-28";
const defaultTimeoutMs = 60_000;
const maxTries = 4;
/** ms; exponential backoff without `Retry-After` */
const firstWaitMs = 250;
/** The calling server accepts all content that it requests. */
const capabilities = { sampling: { tools: {}, supportedModalities: ["text", "image", "audio"] } };

/** @throws SamplingError if missing */
export function presentKey(key: string | undefined): string {
  if (key !== undefined && key !== "") return key;
  throw new SamplingError("`key` is empty. Give an API key with the scope sampling.", -401, {
    reason: "unauthorized",
    retryable: false,
  });
}

const endpointOf = (url: string | URL): string => {
  const base = new URL(url);
  const path = withoutTrailing(base.pathname, "/");
  base.pathname = path.endsWith("/v1/sampling") ? path : `${path}/v1/sampling`;
  return base.href;
};

/** The message of a complete event stream. `domain/event-stream.ts` would exceed the library's 6 KiB. */
const messageIn = (stream: string): string =>
  stream
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).replace(/^ /, ""))
    .join("\n");

async function bodyOf(answer: Response): Promise<JsonValue | undefined> {
  const text = await answer.text();
  const isStream = answer.headers.get("content-type")?.includes("text/event-stream") === true;
  return parsedJson(isStream ? messageIn(text) : text);
}

/** The idempotency key makes these retries free: it joins a running call or repeats its result. */
const mayTryAgain = ({ reason }: SamplingError): boolean =>
  reason === "unreachable" || reason === "unavailable" || reason === "approval_pending";

/** Ends early on abort. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

export function createAskRouter({ url, fetch: ask = fetch, ...given }: RouterSettings): AskRouter {
  const key = presentKey(given.key);
  const endpoint = endpointOf(url);

  const once = async (body: string, idempotencyKey: string, signal: AbortSignal) => {
    let answer: Response;
    let read: JsonValue | undefined;
    try {
      answer = await ask(endpoint, {
        method: "POST",
        // Never forward the key to a redirect target. Workers don't support "error".
        redirect: "manual",
        signal,
        body,
        headers: {
          Authorization: `Bearer ${key}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "MCP-Protocol-Version": revision,
          "Mcp-Method": "sampling/createMessage",
          "Idempotency-Key": idempotencyKey,
        },
      });
      read = await bodyOf(answer);
    } catch (thrown) {
      // The error text may contain the URL and secrets.
      const why = noAnswerReason(endpoint, thrown);
      return localError("unreachable", `The router can't be reached: ${why}.`);
    }
    const result = answer.ok ? own(read, "result") : undefined;
    if (isObject(result) && isSamplingAnswer(result)) return result as unknown as SamplingResult;
    return (
      refusalIn(read) ??
      localError("unreachable", `HTTP ${answer.status} without an answer from a router.`)
    );
  };

  return async (params, { signal, timeoutMs = defaultTimeoutMs, idempotencyKey } = {}) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "sampling/createMessage",
      params: {
        ...params,
        _meta: {
          ...params._meta,
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
      },
    });
    const itsKey = idempotencyKey ?? crypto.randomUUID();
    for (let tries = 1; ; tries += 1) {
      const answer = either.aborted ? null : await once(body, itsKey, either);
      if (answer !== null && !(answer instanceof Error)) return answer;
      if (signal?.aborted === true) throw localError("cancelled", "The call was cancelled.");
      if (deadline.aborted || answer === null)
        throw localError("timed_out", `No answer within ${timeoutMs} ms.`);
      const isWaiting = answer.reason === "approval_pending";
      if (!mayTryAgain(answer) || (tries >= maxTries && !isWaiting)) throw answer;
      await pause(answer.retryAfterMs ?? firstWaitMs * 2 ** (tries - 1), either);
    }
  };
}
