/** The reply to a client's request: one HTTP response, or a stream, into which everything is written once it has begun. */
import { plainAnswer, type ClientAnswer } from "../domain/ports/client-answer.ts";
import type { Refusal } from "../domain/refusals.ts";
import type { Wire } from "../mcp/codec.ts";
import type { RequestId } from "../mcp/json-text/exact-ids.ts";
import { errorMessage } from "../mcp/jsonrpc.ts";
import { createClientStream, type StreamOwner } from "../mcp/sse/client-stream.ts";
import { sseMessageText } from "../mcp/sse/write.ts";
import { refuse } from "./exchange.ts";

/** Seconds of silence before a comment, while the router works and while the server does. */
const [workingTicks, silentTicks] = [1, 4];
const lateMs = 1_000;

/** If the client accepts a stream, one begins for comments when the server is silent for long. */
export interface ClientReply {
  streams(): boolean;
  /**
   * @param headers the server's, in lower case
   * @param mayComment whether the last write ended between events; absent: always
   */
  begin(headers: Record<string, string>, mayComment?: () => boolean): void;
  write(bytes: Uint8Array<ArrayBuffer> | string): Promise<void>;
  end(): void;
  answer(answer: ClientAnswer): void;
  during<T>(work: Promise<T>, headers: Record<string, string>): Promise<T>;
}

interface OpenClientReply {
  reply: ClientReply;
  response: Promise<ClientAnswer>;
  gone: AbortSignal;
}

/** Ends the reply: with a message, JSON text, if a stream has begun, else with a response. */
export async function conclude(
  reply: ClientReply,
  { text, whole }: { text: () => string; whole: () => ClientAnswer | Promise<ClientAnswer> },
): Promise<void> {
  if (!reply.streams()) return reply.answer(await whole());
  await reply.write(sseMessageText(text()));
  reply.end();
}

export interface RefusedRequest {
  id: RequestId | null;
  requestId: string;
  wireOf: (refusal: Refusal) => Wire;
}

export const concludeRefused = (
  reply: ClientReply,
  refusal: Refusal,
  { id, requestId, wireOf }: RefusedRequest,
): Promise<void> =>
  conclude(reply, {
    text: () => JSON.stringify(errorMessage(id, refusal, wireOf(refusal).code, requestId)),
    whole: () => refuse(refusal, { id, requestId, wireOf }),
  });

export function leaveUnanswered(reply: ClientReply): void {
  if (reply.streams()) reply.end();
  else reply.answer(plainAnswer({ status: 202, fields: {}, content: null }));
}

function streamHeaders(from: Record<string, string>): Record<string, string> {
  const type = from["content-type"] ?? "";
  const isStream = type.toLowerCase().startsWith("text/event-stream");
  return {
    ...from,
    "content-type": isStream ? type : "text/event-stream",
    "cache-control": "private, no-cache, no-transform",
    // Stops intermediaries from buffering comments, by which a client that leaves is noticed.
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
    // The body's remaining reader is a bridge, which needs its end.
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
      stream.abandon();
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
