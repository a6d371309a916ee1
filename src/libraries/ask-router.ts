/** Asks the router for one sampling: `POST /v1/sampling` in revision 2026-07-28, which needs no session. */
import { withoutTrailing } from "../domain/bounded-url.ts";
import { isObject, own, parsedJson, type JsonValue } from "../domain/json.ts";
import { whyNoAnswer } from "../domain/network-fault.ts";
import { isSamplingAnswer } from "../domain/sampling/rounds.ts";
import { localError, refusalIn, SamplingError } from "./sampling-error.ts";
import type { SamplingParams, SamplingResult } from "./sampling-shapes.ts";

export interface RouterSettings {
  /** where the router is, such as `https://router.example`; the path `/v1/sampling` may stand in it or not */
  url: string | URL;
  /** an API key with the scope `sampling`; an absent one, such as a variable that nobody set, is refused at once */
  key: string | undefined;
  /** absent: the runtime's own */
  fetch?: typeof fetch | undefined;
}

export interface AskOptions {
  /** ends the call at the provider too */
  signal?: AbortSignal | undefined;
  /** ms for all tries together; absent: 60,000 */
  timeoutMs?: number | undefined;
  /** absent: a random one for this call, which makes its own retries safe */
  idempotencyKey?: string | undefined;
}

export type AskRouter = (params: SamplingParams, options?: AskOptions) => Promise<SamplingResult>;

const revision = "2026-07-28";
const defaultTimeoutMs = 60_000;
const mostTries = 4;
/** ms; doubled by each try, where the router says nothing */
const firstWaitMs = 250;
/** A server that calls the router is itself the caller: it takes whatever it asks for. */
const capabilities = { sampling: { tools: {}, supportedModalities: ["text", "image", "audio"] } };

/**
 * The key, if there is one.
 * @throws SamplingError as the router would refuse a call without a key
 */
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

/**
 * The one message of an event stream that has ended. The reader of `domain/event-stream.ts` is for pieces, and would take a
 * library beyond its 6 KiB.
 */
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

/**
 * Both leave nothing behind that a repetition could pay for twice: the idempotency key has a call that runs
 * joined, and one that ended answered again.
 */
const mayTryAgain = ({ reason }: SamplingError): boolean =>
  reason === "unreachable" || reason === "unavailable" || reason === "approval_pending";

/** Also ends when the signal does. */
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
        // Workers has no "error". Nobody follows a redirect: the key is for this URL alone.
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
      // The error may hold the URL and secrets in it, so only the cause, host and port are passed on.
      const why = whyNoAnswer(endpoint, thrown);
      return localError("unreachable", `The router can't be reached: ${why}.`);
    }
    const result = answer.ok ? own(read, "result") : undefined;
    if (isObject(result) && isSamplingAnswer(result)) return result as unknown as SamplingResult;
    return (
      refusalIn(read) ??
      localError("unreachable", `HTTP ${answer.status}, and no answer of a router.`)
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
      if (!mayTryAgain(answer) || (tries >= mostTries && !isWaiting)) throw answer;
      await pause(answer.retryAfterMs ?? firstWaitMs * 2 ** (tries - 1), either);
    }
  };
}
