/** The answer to a JSON-RPC message as an HTTP response. */
import { inLowerCase, plainAnswer, type ClientAnswer } from "../domain/ports/client-answer.ts";
import { refusalTable, type Refusal } from "../domain/refusals.ts";
import type { Wire } from "./codec.ts";
import { legacyWireOf } from "./faults.ts";
import { type RequestId } from "./json-text/exact-ids.ts";
import { errorMessage } from "./jsonrpc.ts";
import { createClientStream } from "./sse/client-stream.ts";
import { sseMessage } from "./sse/write.ts";
import { allowHeader, limitHeaders } from "./refusal-headers.ts";
import type { LimitState } from "../domain/limits/limit-checks.ts";

/** `finish` always settles the call. */
export interface Running {
  finish: (
    signal: AbortSignal,
    /** for messages before the answer; absent for a JSON body */
    notify?: (message: object) => void,
  ) => Promise<{ message: object; timing: string }>;
  /** modern callers cancel by disconnecting; legacy callers don't */
  cancelsOnDisconnect: boolean;
}

export type SingleReply =
  | { kind: "accepted" }
  | { kind: "message"; status: number; message: object; headers: Record<string, string> }
  | { kind: "running"; running: Running; headers: Record<string, string> };

export type Reply = SingleReply | { kind: "batch"; replies: readonly SingleReply[] };

export const answer = (
  message: object,
  headers: Record<string, string> = {},
  status = 200,
): SingleReply => ({ kind: "message", status, message, headers });

export function refusalReply(
  id: RequestId | null,
  refusal: Refusal,
  requestId: string,
  options: {
    limits?: readonly LimitState[];
    wireOf?: (refusal: Refusal) => Wire;
    timing?: string;
  } = {},
): SingleReply {
  const { code, status: wireStatus } = (options.wireOf ?? legacyWireOf)(refusal);
  // Without an id the status must show the failure.
  const status = id === null ? refusalTable[refusal.reason].status : wireStatus;
  return answer(
    errorMessage(id, refusal, code, requestId),
    {
      "X-Request-Id": requestId,
      ...limitHeaders(options.limits ?? [], refusal),
      ...allowHeader(refusal),
      ...(options.timing === undefined ? {} : { "Server-Timing": options.timing }),
      ...(status === 401 ? { "WWW-Authenticate": 'Bearer realm="sampling-router"' } : {}),
    },
    status,
  );
}

/** Seconds between comments: disconnects are noticed when writing, and cancellation must take effect within 2 s. */
const silentTicks = 1;
const never = new AbortController().signal;

const jsonAnswer = (
  message: object,
  { status, headers }: { status: number; headers: Record<string, string> },
): ClientAnswer =>
  plainAnswer({
    status,
    fields: { "content-type": "application/json", ...inLowerCase(headers) },
    content: JSON.stringify(message),
  });

/** Sends comments until the message is ready. */
function stream(
  running: Running,
  headers: Record<string, string>,
  left: AbortSignal,
): ClientAnswer {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  left.addEventListener("abort", leave);
  if (left.aborted) leave();
  const events = createClientStream({ silentTicks: () => silentTicks, left: leave });
  const content = events.open();
  events.comment();
  running
    .finish(running.cancelsOnDisconnect ? gone.signal : never, (message) => {
      // Not awaited for slow readers.
      void events.write(sseMessage(message));
    })
    .then(({ message }) => events.end(sseMessage(message)))
    .catch(events.fail);
  return plainAnswer({
    status: 200,
    fields: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      // A buffering proxy would delay comments and hide disconnects.
      "x-accel-buffering": "no",
      ...inLowerCase(headers),
    },
    content,
  });
}

const accepted = (): ClientAnswer => plainAnswer({ status: 202, fields: {}, content: null });

export async function respond(
  reply: Reply,
  request: { acceptsStream: boolean; signal: AbortSignal },
): Promise<ClientAnswer> {
  switch (reply.kind) {
    case "accepted":
      return accepted();
    case "message":
      return jsonAnswer(reply.message, reply);
    case "batch":
      return respondAll(reply.replies);
    case "running": {
      if (request.acceptsStream) return stream(reply.running, reply.headers, request.signal);
      const { message, timing } = await reply.running.finish(
        reply.running.cancelsOnDisconnect ? request.signal : never,
      );
      return jsonAnswer(message, {
        status: 200,
        headers: { ...reply.headers, "Server-Timing": timing },
      });
    }
  }
}

async function respondAll(replies: readonly SingleReply[]): Promise<ClientAnswer> {
  const messages = await Promise.all(
    replies
      .filter((reply) => reply.kind !== "accepted")
      .map(async (reply) =>
        reply.kind === "message" ? reply.message : (await reply.running.finish(never)).message,
      ),
  );
  return messages.length === 0 ? accepted() : jsonAnswer(messages, { status: 200, headers: {} });
}
