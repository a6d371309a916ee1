/**
 * The reply to the client of one proxied request: an HTTP response of its own, or a stream. Once a stream has
 * begun, everything else is written into the stream.
 */
import { plainAnswer, type ClientAnswer } from "../domain/ports/client-answer.ts";
import { createClientStream, type StreamOwner } from "../mcp/sse/client-stream.ts";
import { sseMessageText } from "../mcp/sse/write.ts";

/** Comments come every second while the router works… */
const workingTicks = 1;
/** …and after so many seconds in which the server says nothing. */
const silentTicks = 4;
const lateMs = 1_000;

/** Where the client takes a stream, a server that is silent for long makes one begin, for comments. */
export interface ClientReply {
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
  answer(answer: ClientAnswer): void;
  /** Comments while the router works, sooner than while the server does. */
  during<T>(work: Promise<T>, headers: Record<string, string>): Promise<T>;
}

interface OpenClientReply {
  reply: ClientReply;
  response: Promise<ClientAnswer>;
  /** aborts when the client has left */
  gone: AbortSignal;
}

/** The last word: a message, JSON text, in the stream that has begun, else a whole response. */
export async function conclude(
  reply: ClientReply,
  { text, whole }: { text: () => string; whole: () => ClientAnswer | Promise<ClientAnswer> },
): Promise<void> {
  if (!reply.streams()) return reply.answer(await whole());
  await reply.write(sseMessageText(text()));
  reply.end();
}

/** Ends the reply without a message: a request that its client has cancelled gets none. */
export function leaveUnanswered(reply: ClientReply): void {
  if (reply.streams()) reply.end();
  else reply.answer(plainAnswer({ status: 202, fields: {}, content: null }));
}

/** The headers of a stream, given those of the server's response. */
function streamHeaders(from: Record<string, string>): Record<string, string> {
  const type = from["content-type"] ?? "";
  const isStream = type.toLowerCase().startsWith("text/event-stream");
  return {
    ...from,
    "content-type": isStream ? type : "text/event-stream",
    "cache-control": "private, no-cache, no-transform",
    // A proxy that buffers would hold back the comments, and with them the client's leaving.
    "x-accel-buffering": "no",
  };
}

export function openClientReply(options: {
  acceptsStream: boolean;
  left: AbortSignal;
  owner: StreamOwner | null;
}): OpenClientReply {
  const gone = new AbortController();
  const state = { hasBegun: false, works: false };
  let isBetweenEvents = (): boolean => true;
  const { promise: response, resolve } = Promise.withResolvers<ClientAnswer>();

  const stream = createClientStream({
    silentTicks: () => (state.works && state.hasBegun ? workingTicks : silentTicks),
    mayComment: () => isBetweenEvents(),
    beforeComment: () => beginForComments({}),
    left: () => gone.abort(),
    owner: options.owner,
  });
  const begin = (headers: Record<string, string>, mayComment = (): boolean => true): void => {
    isBetweenEvents = mayComment;
    if (state.hasBegun) return;
    state.hasBegun = true;
    resolve(plainAnswer({ status: 200, fields: streamHeaders(headers), content: stream.open() }));
  };
  const beginForComments = (headers: Record<string, string>): boolean => {
    if (!state.hasBegun && options.acceptsStream && !stream.isOver()) begin(headers);
    return state.hasBegun;
  };
  const leave = (): void => {
    // Whoever still reads the body is no client that has left: it is the bridge, which carries the body on.
    stream.end();
    gone.abort();
  };
  options.left.addEventListener("abort", leave);
  if (options.left.aborted) leave();

  const reply: ClientReply = {
    streams: () => state.hasBegun,
    begin,
    write: stream.write,
    end: () => stream.end(),
    answer(whole) {
      stream.leave();
      resolve(whole);
    },
    async during(work, headers) {
      state.works = true;
      const late = setTimeout(() => {
        if (beginForComments(headers)) stream.comment();
      }, lateMs);
      try {
        return await work;
      } finally {
        clearTimeout(late);
        state.works = false;
      }
    },
  };
  return { reply, response, gone: gone.signal };
}
