/**
 * Holds the answer of one exchange until its client has it or has left, then releases everything the exchange occupies: the
 * server's request, its stream, and its place in the count.
 *
 * A client that has left is noticed by writing to it. So a late answer begins before the server's: with comments if the client
 * accepts a stream, else with blanks.
 */
import { headOf, isClientBody, isPlain, type ClientAnswer } from "../domain/ports/client-answer.ts";
import type { HeldExchange } from "../domain/limits/open-exchanges.ts";
import { timeoutReason } from "../domain/network-fault.ts";
import type { Refusal } from "../domain/refusals.ts";
import type { Result } from "../domain/result.ts";
import { isEventStream, takesStream } from "../domain/servers/media-type.ts";
import { legacyWireOf, modernWireOf } from "../mcp/faults.ts";
import type { RequestId } from "../mcp/json-text/exact-ids.ts";
import { errorMessage } from "../mcp/jsonrpc.ts";
import { requestsIn } from "../mcp/message.ts";
import type { StreamOwner } from "../mcp/sse/client-stream.ts";
import { discoverMethod } from "../mcp/translate/discovery.ts";
import { beginningHeaders, restOf, streamOf } from "./early-answer.ts";
import { refuse, type Exchange } from "./exchange.ts";
import { createFiller, type BodyKind, type Filler } from "./filler.ts";

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** ms after arrival, so that even a busy router notices within 5 s that the client has left… */
const quietMs = 2_500;
/** …but the server has at least this long. */
const minQuietMs = 500;
/** ms after which an answer is given up that can't begin early */
const maxWaitMs = 60_000;
const tickMs = 1_000;
/** Ticks after which filler is written to a silent body… */
const silentTicks = 4;
/** …and after which a body is given up that can't take filler, because it stalls within a string. */
const standstillTicks = 30;

export type Early =
  /** the answer can't begin: its status and headers must be the server's */
  | { kind: "waits"; tooLate: () => Promise<ClientAnswer> }
  | { kind: "accepted" }
  | { kind: "begins"; as: BodyKind; rest: (response: ClientAnswer) => Promise<Body | null> };

/** Their answers have the session's id in a header, or show by their status which era the server supports. */
const saidInHeaders: ReadonlySet<string> = new Set(["initialize", discoverMethod]);

export function earlyFor(exchange: Exchange, era: "legacy" | "modern"): Early {
  const { method, body, headers, requestId, server } = exchange;
  if (method === "GET") return { kind: "begins", as: "events", rest: streamOf };
  const [request] = body === null ? [] : requestsIn(body);
  const wireOf = era === "modern" ? modernWireOf : legacyWireOf;
  const waitsFor = (id: RequestId | null): Early => ({
    kind: "waits",
    tooLate: () =>
      refuse(
        { reason: "server_timeout", detail: `${timeoutReason(server.url, null)}.` },
        { id, requestId, wireOf },
      ),
  });
  // An unread message may be a request.
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

/** An unreachable database doesn't end a key's streams. */
const ending: ReadonlySet<Refusal["reason"]> = new Set(["unauthorized", "forbidden", "not_found"]);

/**
 * Whether the caller's key has been revoked or expired since the stream began. Checked every second: with the age of a
 * remembered snapshot and one read, a key's streams end within 5 s.
 */
export const endsStream = (found: Result<unknown, Refusal>): boolean =>
  !found.ok && ending.has(found.error.reason);

export interface OpenAnswer {
  waitedMs: number;
  /** @param owner of the stream that becomes the answer, if it takes one */
  work: (left: AbortSignal, owner: StreamOwner) => Promise<ClientAnswer>;
  left: AbortSignal;
  early: Early;
  held: HeldExchange;
  keyEnded: () => Promise<boolean>;
  /** makes the response for a thrown error once an answer has begun */
  failed: (thrown: unknown) => Promise<ClientAnswer>;
  background: (work: Promise<unknown>) => void;
}

const within = (ms: number, working: Promise<ClientAnswer>): Promise<ClientAnswer | null> =>
  // `Promise.race` would create several more promises.
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), ms);
    const stop = (): void => clearTimeout(timer);
    working.then(stop, stop);
    working.then(resolve, reject);
  });

/** The kind of a body that is sent while it arrives; null: the body is whole. */
function streamedKind(response: ClientAnswer): BodyKind | null {
  const isIdentity = response.headers.get("Content-Encoding") === "identity";
  const kind = isEventStream(response) ? "events" : isIdentity ? "json" : null;
  // Read last, because on Node the adapter creates a real `Response` for it.
  return kind === null || response.body === null ? null : kind;
}

interface Holding extends Pick<OpenAnswer, "held" | "keyEnded"> {
  filler: Filler;
  first: Uint8Array<ArrayBuffer> | null;
  source: () => Promise<Body | null>;
  leave: () => void;
}

function createHeldBody({ filler, first, source, leave, held, keyEnded }: Holding): Body {
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;
  const state = { over: false, asks: false, pulls: false, silent: 0 };
  const stop = (): void => {
    state.over = true;
    clearInterval(timer);
    held.close();
  };
  const giveUp = async (): Promise<void> => {
    stop();
    leave();
    await reader?.cancel().catch(() => undefined);
  };
  const fill = (controller: ReadableStreamDefaultController): void => {
    state.silent += 1;
    // A client that isn't reading can't be tested by writing.
    if (!state.pulls || state.silent < silentTicks) return;
    const bytes = filler.next();
    if (bytes !== null) {
      state.silent = 0;
      controller.enqueue(bytes);
    } else if (state.silent >= standstillTicks) {
      controller.error(new Error("The server's answer has stalled."));
      void giveUp();
    }
  };
  const look = async (controller: ReadableStreamDefaultController): Promise<void> => {
    if (state.asks || state.over) return;
    state.asks = true;
    const ended = await keyEnded().finally(() => (state.asks = false));
    if (!ended || state.over) return;
    controller.close();
    await giveUp();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        if (first !== null) controller.enqueue(first);
        timer = setInterval(() => {
          if (state.over) return;
          held.renew();
          fill(controller);
          void look(controller).catch(() => undefined);
        }, tickMs);
      },
      async pull(controller) {
        try {
          state.pulls = true;
          if (reader === null) {
            const body = await source();
            reader = body?.getReader() ?? null;
            if (state.over) return void reader?.cancel().catch(() => undefined);
          }
          const next = await (reader?.read() ?? ({ done: true, value: undefined } as const));
          if (state.over) return;
          if (!next.done) {
            state.silent = 0;
            filler.passed(next.value);
            return controller.enqueue(next.value);
          }
          stop();
          controller.close();
        } catch (thrown) {
          stop();
          throw thrown;
        } finally {
          state.pulls = false;
        }
      },
      async cancel(reason) {
        stop();
        leave();
        await reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** For an answer with the server's own status and headers. */
function holdOpen(
  response: ClientAnswer,
  { leave, held, keyEnded }: Pick<Holding, "leave" | "held" | "keyEnded">,
): ClientAnswer {
  const kind = streamedKind(response);
  if (kind === null) {
    held.close();
    return response;
  }
  const filler = createFiller(kind);
  const source = async (): Promise<Body | null> => response.body;
  return new Response(
    createHeldBody({ filler, first: null, source, leave, held, keyEnded }),
    headOf(response),
  );
}

/** Whether the answer is a stream that does for itself what `createHeldBody` does for other bodies. */
const isOwned = (response: ClientAnswer): boolean =>
  isPlain(response) && isClientBody(response.content) && response.content.owned === true;

function ownerOf({
  leave,
  held,
  keyEnded,
}: Pick<Holding, "leave" | "held" | "keyEnded">): StreamOwner {
  let asks = false;
  const look = async (close: () => void): Promise<void> => {
    if (asks) return;
    asks = true;
    const ended = await keyEnded().finally(() => (asks = false));
    if (ended) close();
  };
  return {
    tick(close) {
      held.renew();
      void look(close).catch(() => undefined);
    },
    ended: held.close,
    left: leave,
  };
}

export async function openAnswer(options: OpenAnswer): Promise<ClientAnswer> {
  const { early, held, keyEnded } = options;
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  options.left.addEventListener("abort", leave);
  if (options.left.aborted) leave();
  const working = options.work(gone.signal, ownerOf({ leave, held, keyEnded }));
  try {
    const response = await within(
      early.kind === "waits" ? maxWaitMs : Math.max(minQuietMs, quietMs - options.waitedMs),
      working,
    );
    if (response !== null && isOwned(response)) return response;
    if (response !== null) return holdOpen(response, { leave, held, keyEnded });
  } catch (thrown) {
    held.close();
    throw thrown;
  }
  const late = working.catch(options.failed);
  options.background(late);
  if (early.kind !== "begins") {
    leave();
    held.close();
    options.background(late.then((response) => response.body?.cancel()));
    return early.kind === "waits" ? early.tooLate() : new Response(null, { status: 202 });
  }
  const filler = createFiller(early.as);
  const source = async (): Promise<Body | null> => early.rest(await late);
  const body = createHeldBody({ filler, first: filler.next(), source, leave, held, keyEnded });
  return new Response(body, { headers: beginningHeaders(early.as) });
}
