/**
 * The client's side of one proxied request: an HTTP response of its own, or a stream once one has
 * begun. Whatever is said after that is said in the stream.
 */
import { sseKeepAlive, sseMessageText } from "../mcp/sse/write.ts";

/** The runtime notices that a client has left when it writes: once a second while the router works… */
const keepAliveMs = 1_000;
/** …and after so many silent seconds of the server. */
const silentTurns = 4;
/** What waits for a client that reads slowly. */
const readAheadBytes = 64 * 1024;

/** Where the client takes a stream, a server that is silent for long makes one begin, for comments. */
export interface ClientSide {
  /** Whether a stream has begun. */
  streams(): boolean;
  /**
   * Begins a stream, if none has begun; `headers` are those of the server's response, in lower case.
   * `mayComment`: whether what is written from now on ends between events, as it does unless said otherwise.
   */
  begin(headers: Record<string, string>, mayComment?: () => boolean): void;
  /** Resolves when there is room for more. */
  write(bytes: Uint8Array<ArrayBuffer> | string): Promise<void>;
  /** Ends the stream. */
  end(): void;
  /** The whole answer, where no stream has begun. */
  answer(response: Response): void;
  /** Comments while the router works, sooner than while the server does. */
  during<T>(work: Promise<T>, headers: Record<string, string>): Promise<T>;
}

interface OpenClientSide {
  side: ClientSide;
  response: Promise<Response>;
  /** aborts when the client has left */
  gone: AbortSignal;
}

/** The last word: a message, JSON text, in the stream that has begun, else a whole response. */
export async function conclude(
  side: ClientSide,
  { text, whole }: { text: () => string; whole: () => Response | Promise<Response> },
): Promise<void> {
  if (!side.streams()) return side.answer(await whole());
  await side.write(sseMessageText(text()));
  side.end();
}

export function openClientSide(about: {
  acceptsStream: boolean;
  left: AbortSignal;
}): OpenClientSide {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  let silent = 0;
  let working = false;
  let stream: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
  /** nothing more is written: it has ended, or the client has left */
  let over = false;
  let mayComment = (): boolean => true;
  /** resolves when the client has read on; null: nobody waits for it */
  let full: PromiseWithResolvers<void> | null = null;
  const { promise: response, resolve } = Promise.withResolvers<Response>();

  const readOn = (): void => {
    full?.resolve();
    full = null;
  };
  const stop = (): void => {
    over = true;
    clearInterval(timer);
  };
  const leave = (): void => {
    stop();
    gone.abort();
    readOn();
  };

  const hasRoom = (): boolean => (stream?.desiredSize ?? 0) > 0;

  const begin = (from: Record<string, string>, isBetweenEvents = (): boolean => true): void => {
    mayComment = isBetweenEvents;
    if (stream !== null) return;
    const readable = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start(controller) {
          stream = controller;
        },
        pull: readOn,
        cancel: leave,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes }),
    );
    const type = from["content-type"] ?? "";
    const isStream = type.toLowerCase().startsWith("text/event-stream");
    const headers = {
      ...from,
      "content-type": isStream ? type : "text/event-stream",
      "cache-control": "private, no-cache, no-transform",
      // A proxy that buffers would hold back the comments, and with them the client's leaving.
      "x-accel-buffering": "no",
    };
    resolve(new Response(readable, { headers }));
  };

  const write = async (bytes: Uint8Array<ArrayBuffer> | string): Promise<void> => {
    silent = 0;
    if (stream === null || over) return;
    stream.enqueue(typeof bytes === "string" ? encoder.encode(bytes) : bytes);
    if (!hasRoom()) await (full ??= Promise.withResolvers<void>()).promise;
  };

  const comment = (headers: Record<string, string>): void => {
    if (stream === null && about.acceptsStream && !over) begin(headers);
    if (hasRoom() && mayComment()) void write(sseKeepAlive);
  };
  const timer = setInterval(() => {
    silent += 1;
    if (silent >= silentTurns || (working && stream !== null)) comment({});
  }, keepAliveMs);
  about.left.addEventListener("abort", leave);
  if (about.left.aborted) leave();

  const side: ClientSide = {
    streams: () => stream !== null,
    begin,
    write,
    end() {
      if (!over) stream?.close();
      stop();
    },
    answer(whole) {
      stop();
      resolve(whole);
    },
    async during(work, headers) {
      working = true;
      const late = setTimeout(() => comment(headers), keepAliveMs);
      try {
        return await work;
      } finally {
        clearTimeout(late);
        working = false;
      }
    },
  };
  return { side, response, gone: gone.signal };
}
