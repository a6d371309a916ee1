/**
 * Carries one modern request to the server, again for every round, and the server's answer to the client. What
 * comes before the answer goes on as it comes; the answer itself goes on when no round is left.
 */
import { plainAnswer, type ClientAnswer } from "../../domain/ports/client-answer.ts";
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { concatenated } from "../../domain/bytes.ts";
import { own } from "../../domain/json.ts";
import { returnedHeaders } from "../../domain/servers/proxied-headers.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";
import { samplingMethod } from "../../domain/sampling/rounds.ts";
import { isSameId, parsedId, parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { faultIn } from "../../mcp/json-text/message-reader.ts";
import { createEventSplitter } from "../../mcp/sse/event-splitter.ts";
import { createSegments, type Segments } from "../../mcp/sse/segments.ts";
import type { Segment } from "../../mcp/sse/segment.ts";
import { asksToSample, methodIn } from "../message-head.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import { declaredBytes } from "../../mcp/body.ts";
import type { Round, RoundAction } from "./rounds.ts";
import { conclude, type ClientReply } from "../client-reply.ts";
import { passRest, unreadableAnswer, type Losses, type Reading } from "../losses.ts";
import { streamsAnswer } from "../media-type.ts";

/** Bytes of one answer, or one event, that are held until it is known whether it asks for sampling. */
export const mostHeldBytes = 16 * 1024 * 1024;
export const tooLarge = `Its answer is larger than ${mostHeldBytes} bytes.`;

/** Reads past a byte order mark, as readers of JSON bodies do. */
const decoder = new TextDecoder();

export interface Relaying {
  round: Round;
  send: (text: string) => Promise<Result<UpstreamAnswer, Refusal>>;
  client: ClientReply;
  losses: Losses;
  gone: AbortSignal;
  /** the refusal as an HTTP response */
  refuse: (refusal: Refusal, requestId: string | null) => Promise<ClientAnswer>;
  /** the refusal as a JSON-RPC error in a stream, JSON text */
  refusalText: (refusal: Refusal, requestId: string | null) => string;
}

/** Where an answer stands: in a stream, or alone. */
type From =
  | { kind: "stream"; event: Extract<Segment, { kind: "event" }>; rest: Segments }
  | { kind: "body"; bytes: Uint8Array<ArrayBuffer> };

/** A server's reply to one request: an answer, or a refusal by the server's transport. */
type ServerReply =
  | { kind: "answer"; text: string; from: From }
  /** nothing for the router: the reply has gone on, or goes on, as it came */
  | { kind: "passed" }
  | { kind: "failed"; refusal: Refusal };

const failed = (detail: string, status: number | null = null): ServerReply => ({
  kind: "failed",
  refusal: serverFailed(detail, status),
});

export const asItCame = (
  { status, headers }: UpstreamAnswer,
  content: Uint8Array<ArrayBuffer>,
): ClientAnswer => plainAnswer({ status, fields: returnedHeaders(headers), content });

/**
 * Whether a message is the response to the request of that id. An error without an id can be about no other
 * request.
 */
export function answers(text: string, idText: string): boolean {
  const message = parsedMessages(text);
  const id = own(message, "id");
  if (own(message, "error") !== undefined && (id === undefined || id === null)) return true;
  const isResponse = own(message, "result") !== undefined || own(message, "error") !== undefined;
  return isResponse && isSameId(id, parsedId(idText));
}

export async function bytesOf(response: UpstreamAnswer): Promise<Uint8Array<ArrayBuffer> | null> {
  if ((declaredBytes(response) ?? Infinity) <= mostHeldBytes)
    return new Uint8Array(await response.arrayBuffer());
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > mostHeldBytes) return null;
    parts.push(part);
  }
  return concatenated(parts);
}

type Looks = Pick<
  Parameters<typeof createEventSplitter>[0],
  "mayNeedRouter" | "surelyHarmless" | "read"
>;
interface Events {
  segments: Segments;
  isBetweenEvents: () => boolean;
}

/** A stream in parts, with the events that may be for the router. */
export function eventsOf(response: UpstreamAnswer, looks: Looks): Events {
  const splitter = createEventSplitter({ maxEventBytes: mostHeldBytes, ...looks });
  const reader = response.body?.getReader();
  return { segments: createSegments(reader, splitter), isBetweenEvents: splitter.isBetweenEvents };
}

interface Answering {
  response: UpstreamAnswer;
  /** null: the reply is no stream */
  events: Events | null;
  /** id of the request that is answered */
  idText: string;
}

/** Sends one request to the server, and reads up to its answer. */
async function readReply(
  { round, client, losses, gone }: Relaying,
  { response, events, idText }: Answering,
): Promise<ServerReply> {
  if (events === null) {
    const bytes = await bytesOf(response);
    if (bytes === null) return failed(tooLarge);
    const text = decoder.decode(bytes);
    const fault = response.ok || answers(text, idText) ? faultIn(bytes, "server") : null;
    if (fault !== null && bytes.byteLength > 0) {
      losses.note(fault);
      return { kind: "failed", refusal: unreadableAnswer(fault) };
    }
    if (asksToSample(text)) return failed("Its answer is no JSON-RPC response.", response.status);
    if (!round.surelyHarmless(text) && answers(text, idText))
      return { kind: "answer", text, from: { kind: "body", bytes } };
    // A stream to the client has begun, because the server took its time, so the answer is passed
    // on there.
    if (client.streams() && answers(text, idText)) {
      await client.write(sseMessageText(text));
      return { kind: "passed" };
    }
    if (client.streams()) return failed("Its answer is no JSON-RPC response.", response.status);
    client.answer(asItCame(response, bytes));
    return { kind: "passed" };
  }
  const { segments, isBetweenEvents } = events;
  client.begin(returnedHeaders(response.headers), isBetweenEvents);
  for (let next = await segments.next(); !next.done; next = await segments.next()) {
    const segment = next.value;
    if (segment.kind === "oversized") return failed(tooLarge);
    if (segment.kind === "unreadable" && losses.mayAnswer(segment)) {
      losses.note(segment.fault);
      if (segment.whole === null) await client.write(segment.bytes);
      return { kind: "failed", refusal: unreadableAnswer(segment.fault) };
    }
    if (segment.kind === "unreadable") losses.replace(segment);
    if (segment.kind === "event" && !answers(segment.data, idText)) {
      await client.write(segment.rest);
      continue;
    }
    if (segment.kind === "event") {
      const from = { kind: "stream", event: segment, rest: segments } as const;
      return { kind: "answer", text: segment.data, from };
    }
    await client.write(segment.bytes);
    if (gone.aborted) return { kind: "failed", refusal: { reason: "cancelled" } };
  }
  // The server's own client would be left without an answer as well.
  return round.repeated() || losses.last() !== ""
    ? failed("Its stream ended without an answer.")
    : { kind: "passed" };
}

/** Passes an answer to the client. */
async function deliver(
  { client, losses }: Reading,
  { text, from }: Extract<ServerReply, { kind: "answer" }>,
  delivery: { text: string; status: number; headers: Record<string, string> },
): Promise<void> {
  const same = delivery.text === text;
  if (!client.streams()) {
    const content = same && from.kind === "body" ? from.bytes : delivery.text;
    return client.answer(
      plainAnswer({ status: delivery.status, fields: delivery.headers, content }),
    );
  }
  if (from.kind === "body") await client.write(sseMessageText(delivery.text));
  else if (!same) await client.write(from.event.withData(delivery.text));
  else {
    // No event was hidden, so what follows the answer goes on too.
    await client.write(from.event.bytes);
    await passRest(from.rest, { client, losses });
  }
  client.end();
}

type Sent = Round["first"];

type Last = Exclude<RoundAction, { kind: "send" }>;

/** The last word to the client that the router itself has. */
function concludeBy({ client, refuse, refusalText }: Relaying, action: Last): Promise<void> {
  const headers = { "content-type": "application/json" };
  return action.kind === "refuse"
    ? conclude(client, {
        text: () => refusalText(action.refusal, action.requestId),
        whole: () => refuse(action.refusal, action.requestId),
      })
    : conclude(client, {
        text: () => action.text,
        whole: () => new Response(action.text, { headers }),
      });
}

/** Sends one message to the server and acts on the reply; gives the next message where there is another round. */
async function carryRound(relaying: Relaying, current: Sent): Promise<Sent | null> {
  const { round, client, gone } = relaying;
  const refused = async (refusal: Refusal, requestId: string | null): Promise<null> => {
    await concludeBy(relaying, { kind: "refuse", refusal, requestId });
    return null;
  };
  let sent = await relaying.send(current.text);
  while (!sent.ok && (await round.looksAgain(sent.error, gone)))
    sent = await relaying.send(current.text);
  if (!sent.ok) {
    await concludeBy(relaying, await round.onRefusal(sent.error, current.text));
    return null;
  }
  const response = sent.value;
  const { idText } = current;
  const events = streamsAnswer(response)
    ? eventsOf(response, {
        mayNeedRouter: (data) =>
          asksToSample(data) || (!round.surelyHarmless(data) && answers(data, idText)),
        surelyHarmless: (head, isTooLarge) =>
          isTooLarge && ![null, samplingMethod].includes(methodIn(head)),
        read: relaying.losses.read,
      })
    : null;
  try {
    const reply = await readReply(relaying, { response, events, idText }).catch(() =>
      gone.aborted
        ? ({ kind: "failed", refusal: { reason: "cancelled" } } as const)
        : failed("Its answer broke off.", response.status),
    );
    if (reply.kind === "failed") return await refused(reply.refusal, null);
    if (reply.kind === "passed") {
      client.end();
      return null;
    }
    const headers = returnedHeaders(response.headers);
    const action: RoundAction = await client.during(round.actOn(reply.text, gone), headers);
    if (action.kind === "send") return action;
    if (action.kind === "refuse") return await refused(action.refusal, action.requestId);
    await deliver(relaying, reply, { text: action.text, status: response.status, headers });
    return null;
  } finally {
    // What follows the answer is for nobody.
    await events?.segments.return();
  }
}

/** Acts on what the server asked before the client came back; gives the message that is sent then. */
async function resumeRound(relaying: Relaying, held: string): Promise<Sent | null> {
  const { round, client, gone } = relaying;
  const headers = { "content-type": "application/json" };
  const action = await client.during(round.actOn(held, gone), headers);
  if (action.kind === "send") return action;
  await concludeBy(relaying, action);
  return null;
}

export async function relay(relaying: Relaying): Promise<void> {
  const { held, first } = relaying.round;
  for (
    let next: Sent | null = held === null ? first : await resumeRound(relaying, held);
    next !== null;
  )
    next = await carryRound(relaying, next);
}
