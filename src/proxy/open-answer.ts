/**
 * The answer of one proxied exchange, until its client has it or has left. Everything that is held for the
 * exchange ends then: the server's request, its stream, and its place in the count of what is open.
 *
 * A client that has left is noticed by writing to it, and before an answer there is nothing to write. So an
 * answer that takes long begins before the server's: with comments where the client takes a stream, else with
 * blanks.
 */
import { headOf, type ClientAnswer } from "../domain/ports/client-answer.ts";
import type { StreamOwner } from "../mcp/sse/client-stream.ts";
import type { HeldExchange } from "./open-exchanges.ts";
import { createFiller, type BodyKind, type Filler } from "./filler.ts";
import { beginningHeaders } from "./early-answer.ts";
import { isEventStream } from "./media-type.ts";

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** ms since the request arrived, so that a client that has left is noticed within 5 s, also by a busy router. */
const quietMs = 2_500;
/** …but the server has at least this long. */
const leastQuietMs = 500;
/**
 * ms. An answer that can't begin early can't show that its client has left, so the answer is given up after
 * this time.
 */
const mostWaitMs = 60_000;
const tickMs = 1_000;
/** Ticks after which a body that stands still is written to… */
const silentTicks = 4;
/** …and after which one is given up that can't be written to, because it stands still within a text. */
const standstillTicks = 30;

/** What happens to an answer that takes longer than `quietMs`. */
export type Early =
  /** the answer can't begin: its status and headers must be the server's */
  | { kind: "waits"; tooLate: () => Promise<ClientAnswer> }
  /** nobody waits for more than the word that the message was sent */
  | { kind: "accepted" }
  | { kind: "begins"; as: BodyKind; rest: (response: ClientAnswer) => Promise<Body | null> };

export interface OpenAnswer {
  /** ms since the request arrived */
  waitedMs: number;
  /** `owner`: of the stream that becomes the answer, if one does and takes an owner */
  work: (left: AbortSignal, owner: StreamOwner) => Promise<ClientAnswer>;
  /** aborts when the runtime says that the client has left, which may never happen */
  left: AbortSignal;
  early: Early;
  held: HeldExchange;
  /** Whether the caller's key has ended. */
  keyEnded: () => Promise<boolean>;
  /** the response for a thrown error, once an answer has begun */
  failed: (thrown: unknown) => Promise<ClientAnswer>;
  /** keeps work alive when the client has left */
  background: (work: Promise<unknown>) => void;
}

/** null: the answer takes longer. */
const within = (ms: number, working: Promise<ClientAnswer>): Promise<ClientAnswer | null> =>
  // Written out, since `Promise.race` makes several promises more.
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), ms);
    const stop = (): void => clearTimeout(timer);
    working.then(stop, stop);
    working.then(resolve, reject);
  });

/** The kind of a body that goes on while it arrives; null: the body is whole. */
function streamedKind(response: ClientAnswer): BodyKind | null {
  const isIdentity = response.headers.get("Content-Encoding") === "identity";
  const kind = isEventStream(response) ? "events" : isIdentity ? "json" : null;
  // The body is asked for last: on Node, the adapter makes a whole `Response` only then.
  return kind === null || response.body === null ? null : kind;
}

interface Holding extends Pick<OpenAnswer, "held" | "keyEnded"> {
  filler: Filler;
  /** what goes out at once; null: nothing */
  first: Uint8Array<ArrayBuffer> | null;
  /** null: nothing follows */
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
    // A client that reads nothing needs no filler, and has not left for that.
    if (!state.pulls || state.silent < silentTicks) return;
    const bytes = filler.next();
    if (bytes !== null) {
      state.silent = 0;
      controller.enqueue(bytes);
    } else if (state.silent >= standstillTicks) {
      controller.error(new Error("The server's answer stands still."));
      void giveUp();
    }
  };
  const look = async (controller: ReadableStreamDefaultController): Promise<void> => {
    if (state.asks || state.over) return;
    state.asks = true;
    const ended = await keyEnded().finally(() => (state.asks = false));
    // The stream may have ended by itself while the key was read.
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
    // What a slow reader has not taken waits in the stream behind.
    { highWaterMark: 0 },
  );
}

/** Holds an answer open whose status, headers and kind are the server's. */
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

interface OwnedStream {
  owner: StreamOwner;
  /** Whether a stream has begun that does for itself what `createHeldBody` does for any other body. */
  hasBegun(): boolean;
}

function ownedStream({ leave, held, keyEnded }: Pick<Holding, "leave" | "held" | "keyEnded">) {
  let hasBegun = false;
  let asks = false;
  const look = async (close: () => void): Promise<void> => {
    if (asks) return;
    asks = true;
    const ended = await keyEnded().finally(() => (asks = false));
    if (ended) close();
  };
  const owned: OwnedStream = {
    owner: {
      began: () => void (hasBegun = true),
      tick(close) {
        held.renew();
        void look(close).catch(() => undefined);
      },
      ended: held.close,
      left: leave,
    },
    hasBegun: () => hasBegun,
  };
  return owned;
}

export async function openAnswer(options: OpenAnswer): Promise<ClientAnswer> {
  const { early, held, keyEnded } = options;
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  options.left.addEventListener("abort", leave);
  if (options.left.aborted) leave();
  const owned = ownedStream({ leave, held, keyEnded });
  const working = options.work(gone.signal, owned.owner);
  try {
    const response = await within(
      early.kind === "waits" ? mostWaitMs : Math.max(leastQuietMs, quietMs - options.waitedMs),
      working,
    );
    if (response !== null && owned.hasBegun()) return response;
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
    // The sender of a message that nobody answers can only know that it was sent.
    return early.kind === "waits" ? early.tooLate() : new Response(null, { status: 202 });
  }
  const filler = createFiller(early.as);
  const source = async (): Promise<Body | null> => early.rest(await late);
  const body = createHeldBody({ filler, first: filler.next(), source, leave, held, keyEnded });
  return new Response(body, { headers: beginningHeaders(early.as) });
}
