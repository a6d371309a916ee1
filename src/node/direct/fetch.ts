/** `fetch` for short requests and responses, for example a provider's: the same bytes for a third of the CPU. Other requests are left to `fetch`. */
import type { Dispatcher } from "undici";
import { createAnswerBody, type AnswerBody, type ArrivingBody } from "./answer-body.ts";
import { answerHeadersFrom, type SentHeaders } from "./answer-headers.ts";
import { withProxyCode } from "../proxies.ts";
import { placeOf, type DirectPlace } from "./place.ts";
import type { Unsent } from "../../domain/network-fault.ts";
import { codingsOf, unpacked } from "./unpacked.ts";

type Fetch = typeof fetch;
type Handler = Required<
  Pick<
    Dispatcher.DispatchHandler,
    | "onRequestStart"
    | "onRequestUpgrade"
    | "onResponseStart"
    | "onResponseData"
    | "onResponseEnd"
    | "onResponseError"
  >
>;
type Controller = Parameters<Handler["onRequestStart"]>[0];

interface Asked {
  place: DirectPlace;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal | null;
}

const bodiless = new Set([204, 205, 304]);
const members = new Set(["method", "headers", "body", "redirect", "signal"]);

/** With the defaults that `fetch` adds. null: left to `fetch` */
function headersOf(init: RequestInit, { codings }: DirectPlace): Record<string, string> | null {
  const { headers } = init;
  if (headers === undefined || Array.isArray(headers)) return null;
  const all: Record<string, string> = {};
  const entries = headers instanceof Headers ? headers : Object.entries(headers);
  for (const [name, value] of entries) all[name.toLowerCase()] = value;
  if (all["content-type"] === undefined || all["content-length"] !== undefined) return null;
  all["accept"] ??= "*/*";
  all["accept-language"] ??= "*";
  all["sec-fetch-mode"] ??= "cors";
  all["user-agent"] ??= "undici";
  all["accept-encoding"] ??= codings;
  return all;
}

const isBytes = (body: RequestInit["body"]): body is Uint8Array<ArrayBuffer> =>
  body instanceof Uint8Array && body.buffer instanceof ArrayBuffer;

/** null: left to `fetch` */
function askedOf(input: Parameters<Fetch>[0], init: RequestInit | undefined): Asked | null {
  if (init === undefined || typeof input !== "string") return null;
  const { method, body, redirect, signal } = init;
  if (method !== "POST" || redirect !== "manual") return null;
  if (typeof body !== "string" && !isBytes(body)) return null;
  if (!Object.keys(init).every((name) => members.has(name))) return null;
  const { place } = placeOf(input);
  if (place === null) return null;
  const headers = headersOf(init, place);
  return headers === null ? null : { place, headers, body, signal: signal ?? null };
}

/** The members of `Response` that callers read: a real one costs as much as the rest of the call. */
export interface DirectAnswer<H> extends Pick<Response, "ok" | "status" | "statusText"> {
  headers: H;
  body: AnswerBody | null;
}

/** Nothing of a request is written before its connection is established. */
export const unsent = <E extends Error>(thrown: E): E & Unsent =>
  Object.assign(thrown, { requestSent: false as const });

/** The reason belongs to the caller's signal, so it is not marked itself. */
export const unsentBy = (reason: unknown): unknown =>
  reason instanceof Error ? unsent(new DOMException(reason.message, reason.name)) : reason;

const failed = (cause: unknown): TypeError => new TypeError("fetch failed", { cause });
const terminated = (cause: unknown): TypeError => new TypeError("terminated", { cause });

/** undici reports a switched protocol only in its message. */
export function withUpgradeCode(cause: unknown): unknown {
  if (cause instanceof Error && cause.message === "bad upgrade")
    Object.assign(cause, { code: "BAD_UPGRADE" });
  return cause;
}

interface Waiting<H> {
  resolve: (answer: DirectAnswer<H>) => void;
  reject: (cause: unknown) => void;
  signal: AbortSignal | null;
  connection: Controller | null;
  arriving: ArrivingBody | null;
  over: () => void;
  headersFrom: (sent: SentHeaders) => H;
}

/** null: too many content codings */
function answerOf<H extends Pick<Headers, "get">>(
  arriving: ArrivingBody,
  { status, statusText, headers }: Pick<DirectAnswer<H>, "status" | "statusText" | "headers">,
): DirectAnswer<H> | null {
  const codings = codingsOf(headers.get("content-encoding"));
  if (codings === null) return null;
  const head = { ok: status >= 200 && status < 300, status, statusText, headers };
  if (bodiless.has(status)) return { ...head, body: null };
  if (codings.length === 0) return { ...head, body: arriving.body };
  return { ...head, body: unpacked(arriving.body, { codings, brokenBy: terminated }) };
}

const handlerFor = <H extends Pick<Headers, "get">>(waiting: Waiting<H>): Handler => ({
  onRequestStart(connection) {
    waiting.connection = connection;
    if (waiting.signal?.aborted === true) connection.abort(waiting.signal.reason as Error);
  },
  onRequestUpgrade() {
    throw new Error("bad upgrade");
  },
  onResponseStart(connection, status, sent, statusText = "") {
    // 1xx: the answer is still to come.
    if (status < 200) return;
    waiting.arriving = createAnswerBody({
      resume: () => connection.resume(),
      cancel: () => connection.abort(new DOMException("This operation was aborted", "AbortError")),
    });
    const answer = answerOf(waiting.arriving, {
      status,
      statusText,
      headers: waiting.headersFrom(sent),
    });
    if (answer === null) connection.abort(new Error("too many content codings"));
    else waiting.resolve(answer);
  },
  onResponseData(connection, piece) {
    if (waiting.arriving?.push(piece as Uint8Array<ArrayBuffer>) === false) connection.pause();
  },
  onResponseEnd() {
    waiting.over();
    waiting.arriving?.end();
  },
  onResponseError(_, cause) {
    waiting.over();
    withProxyCode(withUpgradeCode(cause));
    waiting.reject(waiting.connection === null ? unsent(failed(cause)) : failed(cause));
    waiting.arriving?.fail(terminated(cause));
  },
});

export interface Question<H> extends Pick<Asked, "headers" | "signal"> {
  origin: string;
  path: string;
  method: "POST" | "GET" | "DELETE";
  body: string | Uint8Array<ArrayBuffer> | null;
  headersFrom: (sent: SentHeaders) => H;
}

export function ask<H extends Pick<Headers, "get">>(
  dispatcher: Dispatcher,
  { origin, path, method, headers, body, signal, headersFrom: from }: Question<H>,
): Promise<DirectAnswer<H>> {
  const { promise, resolve, reject } = Promise.withResolvers<DirectAnswer<H>>();
  const over = (): void => signal?.removeEventListener("abort", abort);
  const started = { signal, connection: null, arriving: null, over };
  const waiting: Waiting<H> = { ...started, resolve, reject, headersFrom: from };
  const abort = (): void => {
    const reason: unknown = signal?.reason;
    reject(waiting.connection === null ? unsentBy(reason) : reason);
    waiting.arriving?.fail(reason);
    waiting.connection?.abort(reason as Error);
  };
  if (signal?.aborted === true) abort();
  else {
    signal?.addEventListener("abort", abort);
    dispatcher.dispatch({ origin, path, method, headers, body }, handlerFor(waiting));
  }
  return promise;
}

export const createDirectFetch =
  ({ dispatcher, fetch }: { dispatcher: Dispatcher; fetch: Fetch }): Fetch =>
  (input, init) => {
    const asked = askedOf(input, init);
    if (asked === null) return fetch(input, init);
    const { place, headers, body, signal } = asked;
    const { origin, path } = place;
    const question = { origin, path, headers, body, signal, headersFrom: answerHeadersFrom };
    return ask(dispatcher, { ...question, method: "POST" }) as unknown as Promise<Response>;
  };
