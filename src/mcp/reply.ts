/** The answer to one JSON-RPC message, and how it becomes an HTTP response. */
import { plainAnswer, type ClientAnswer } from "../domain/ports/client-answer.ts";
import { refusalTable, type Refusal } from "../domain/refusals.ts";
import type { Wire } from "./codec.ts";
import { legacyWireOf } from "./faults.ts";
import { type RequestId } from "./json-text/exact-ids.ts";
import { errorMessage } from "./jsonrpc.ts";
import { createClientStream } from "./sse/client-stream.ts";
import { sseMessage } from "./sse/write.ts";
import { allowHeader, limitHeaders } from "./refusal-headers.ts";
import type { LimitState } from "../domain/limits/holds.ts";

/** An answer that waits for a provider. `finish` settles the call whatever happens. */
export interface Running {
  finish: (
    signal: AbortSignal,
    /** Sends the caller a message before the answer; absent: the answer is one JSON body. */
    notify?: (message: object) => void,
  ) => Promise<{ message: object; timing: string }>;
  /** modern callers cancel by leaving; legacy ones do not */
  leavingCancels: boolean;
}

/** the reply to one message */
export type Single =
  | { kind: "accepted" }
  | { kind: "message"; status: number; message: object; headers: Record<string, string> }
  | { kind: "running"; running: Running; headers: Record<string, string> };

export type Reply = Single | { kind: "batch"; replies: readonly Single[] };

export const answer = (
  message: object,
  headers: Record<string, string> = {},
  status = 200,
): Single => ({ kind: "message", status, message, headers });

export function refusalReply(
  id: RequestId | null,
  refusal: Refusal,
  requestId: string,
  options: {
    limits?: readonly LimitState[];
    wireOf?: (refusal: Refusal) => Wire;
    timing?: string;
  } = {},
): Single {
  const { code, status: wireStatus } = (options.wireOf ?? legacyWireOf)(refusal);
  // An error without an id can't be matched to a request by its body, and 200 would look like a
  // success.
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

/**
 * Seconds between comments. The runtime notices that a caller has left when it writes, and a cancellation takes
 * effect within 2 s.
 */
const silentTicks = 1;
const never = new AbortController().signal;

const inLowerCase = (headers: Record<string, string>): Record<string, string> => {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) fields[name.toLowerCase()] = value;
  return fields;
};

const jsonAnswer = (
  message: object,
  { status, headers }: { status: number; headers: Record<string, string> },
): ClientAnswer =>
  plainAnswer({
    status,
    fields: { "content-type": "application/json", ...inLowerCase(headers) },
    content: JSON.stringify(message),
  });

/** One message event, with comments until it comes. */
function stream(
  running: Running,
  headers: Record<string, string>,
  left: AbortSignal,
): ClientAnswer {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  left.addEventListener("abort", leave);
  const events = createClientStream({ silentTicks: () => silentTicks, left: leave });
  const content = events.open();
  events.comment();
  running
    .finish(running.leavingCancels ? gone.signal : never, (message) => {
      // Whoever reads slowly gets it later.
      void events.write(sseMessage(message));
    })
    .then(({ message }) => events.end(sseMessage(message)))
    .catch(events.fail);
  return plainAnswer({
    status: 200,
    fields: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      // A proxy that buffers would hold back the comments, and with them the caller's leaving.
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
        reply.running.leavingCancels ? request.signal : never,
      );
      return jsonAnswer(message, {
        status: 200,
        headers: { ...reply.headers, "Server-Timing": timing },
      });
    }
  }
}

/** The answers to a batch as one JSON array, once all of them have come. */
async function respondAll(replies: readonly Single[]): Promise<ClientAnswer> {
  const messages = await Promise.all(
    replies
      .filter((reply) => reply.kind !== "accepted")
      .map(async (reply) =>
        reply.kind === "message" ? reply.message : (await reply.running.finish(never)).message,
      ),
  );
  return messages.length === 0 ? accepted() : jsonAnswer(messages, { status: 200, headers: {} });
}
