/** What precedes the answer is passed unchanged; the answer itself once no round is left. */
import { plainAnswer, type ClientAnswer } from "../../domain/ports/client-answer.ts";
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { samplingMethod } from "../../domain/sampling/rounds.ts";
import { streamsAnswer, takesStream } from "../../domain/servers/media-type.ts";
import { returnedHeaders } from "../../domain/servers/proxied-headers.ts";
import { modernWireOf } from "../../mcp/faults.ts";
import type { RequestId } from "../../mcp/json-text/exact-ids.ts";
import { asksToSample, methodIn } from "../../mcp/json-text/message-head.ts";
import { faultIn } from "../../mcp/json-text/message-reader.ts";
import { answers, bytesOf, eventsOf, tooLarge, type Events } from "../../mcp/server-answer.ts";
import type { Segment } from "../../mcp/sse/segment.ts";
import type { Segments } from "../../mcp/sse/segments.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import { conclude, concludeRefused, openClientReply, type ClientReply } from "../client-reply.ts";
import { refuse, sendOn, type Exchange } from "../exchange.ts";
import { createLosses, passRest, unreadableAnswer, type Losses } from "../losses.ts";
import { asItCame } from "../pass-on.ts";
import type { ModernServices, Round, RoundAction } from "./rounds.ts";

/** Skips a byte order mark, as readers of JSON bodies do. */
const decoder = new TextDecoder();

interface Relaying {
  services: Pick<ModernServices, "upstream">;
  exchange: Exchange;
  id: RequestId;
  round: Round;
  client: ClientReply;
  losses: Losses;
  gone: AbortSignal;
}

type From =
  | { kind: "stream"; event: Extract<Segment, { kind: "event" }>; rest: Segments }
  | { kind: "body"; bytes: Uint8Array<ArrayBuffer> };

type ServerReply =
  | { kind: "answer"; text: string; from: From }
  | { kind: "passed" }
  | { kind: "failed"; refusal: Refusal };

const failed = (detail: string, status: number | null = null): ServerReply => ({
  kind: "failed",
  refusal: serverFailed(detail, status),
});

interface Answering {
  response: UpstreamAnswer;
  idText: string;
}

async function readBody(
  { round, client, losses }: Relaying,
  { response, idText }: Answering,
): Promise<ServerReply> {
  const bytes = await bytesOf(response);
  if (bytes === null) return failed(tooLarge);
  const text = decoder.decode(bytes);
  const fault = response.ok || answers(text, idText) ? faultIn(bytes, "server") : null;
  if (fault !== null && bytes.byteLength > 0) {
    losses.note(fault);
    return { kind: "failed", refusal: unreadableAnswer(fault) };
  }
  if (asksToSample(text)) return failed("Its answer isn't a JSON-RPC response.", response.status);
  if (!round.surelyHarmless(text) && answers(text, idText))
    return { kind: "answer", text, from: { kind: "body", bytes } };
  if (!client.streams()) {
    client.answer(asItCame(response, bytes));
    return { kind: "passed" };
  }
  // A stream to the client began because the server took its time.
  if (!answers(text, idText))
    return failed("Its answer isn't a JSON-RPC response.", response.status);
  await client.write(sseMessageText(text));
  return { kind: "passed" };
}

async function readStream(
  { round, client, losses, gone }: Relaying,
  { segments, isBetweenEvents }: Events,
  { response, idText }: Answering,
): Promise<ServerReply> {
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
  // Without the router, the client would be left without an answer as well.
  return round.repeated() || losses.last() !== ""
    ? failed("Its stream ended without an answer.")
    : { kind: "passed" };
}

async function deliver(
  { client, losses }: Relaying,
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
    // No event was hidden, so what follows the answer is passed too.
    await client.write(from.event.bytes);
    await passRest(from.rest, { client, losses });
  }
  client.end();
}

type Sent = Round["first"] & { method?: string };

function asMethod(exchange: Exchange, { method }: Sent): Exchange {
  if (method === undefined) return exchange;
  const headers = new Headers([...exchange.headers]);
  headers.set("Mcp-Method", method);
  return { ...exchange, headers };
}

async function concludeBy(
  { exchange, id, client }: Relaying,
  action: Exclude<RoundAction, { kind: "send" }>,
): Promise<null> {
  const headers = { "content-type": "application/json" };
  await (action.kind === "deliver"
    ? conclude(client, {
        text: () => action.text,
        whole: () => new Response(action.text, { headers }),
      })
    : concludeRefused(client, action.refusal, {
        id,
        requestId: action.requestId ?? exchange.requestId,
        wireOf: modernWireOf,
      }));
  return null;
}

/** Sends one message to the server and acts on the reply. @returns the message of the next round */
async function carryRound(relaying: Relaying, current: Sent): Promise<Sent | null> {
  const { services, round, client, losses, gone } = relaying;
  const exchange = asMethod(relaying.exchange, current);
  const { text, idText } = current;
  // An unchanged body is sent as its own bytes.
  const body = text === exchange.text ? exchange.bytes : text;
  let sent = await sendOn(services, exchange, { body, signal: gone });
  while (!sent.ok && (await round.looksAgain(sent.error, gone)))
    sent = await sendOn(services, exchange, { body, signal: gone });
  if (!sent.ok) return concludeBy(relaying, await round.onRefusal(sent.error, text));
  const response = sent.value;
  const events = streamsAnswer(response)
    ? eventsOf(response, {
        mayNeedRouter: (data) =>
          asksToSample(data) || (!round.surelyHarmless(data) && answers(data, idText)),
        surelyHarmless: (head, isTooLarge) =>
          isTooLarge && ![null, samplingMethod].includes(methodIn(head)),
        read: losses.read,
      })
    : null;
  try {
    const reading =
      events === null
        ? readBody(relaying, { response, idText })
        : readStream(relaying, events, { response, idText });
    const reply = await reading.catch(() =>
      gone.aborted
        ? ({ kind: "failed", refusal: { reason: "cancelled" } } as const)
        : failed("Its answer broke off.", response.status),
    );
    if (reply.kind === "failed")
      return await concludeBy(relaying, { ...reply, kind: "refuse", requestId: null });
    if (reply.kind === "passed") {
      client.end();
      return null;
    }
    const headers = returnedHeaders(response.headers);
    const action: RoundAction = await client.during(round.actOn(reply.text, gone), headers);
    if (action.kind === "send") return action;
    if (action.kind === "refuse") return await concludeBy(relaying, action);
    await deliver(relaying, reply, { text: action.text, status: response.status, headers });
    return null;
  } finally {
    // What follows the answer is discarded.
    await events?.segments.return();
  }
}

/** Acts on what the server asked before the client came back. @returns the message that is sent then */
async function resumeRound(relaying: Relaying, held: string): Promise<Sent | null> {
  const { round, client, gone } = relaying;
  const headers = { "content-type": "application/json" };
  const action = await client.during(round.actOn(held, gone), headers);
  return action.kind === "send" ? action : concludeBy(relaying, action);
}

async function carryRounds(relaying: Relaying): Promise<void> {
  const { held, first } = relaying.round;
  let next: Sent | null = held === null ? first : await resumeRound(relaying, held);
  while (next !== null) next = await carryRound(relaying, next);
}

export function relayRounds(
  services: Pick<ModernServices, "background" | "note" | "report" | "upstream">,
  exchange: Exchange,
  { id, round }: { id: RequestId; round: Round },
): Promise<ClientAnswer> {
  const { requestId } = exchange;
  const { reply, response, gone } = openClientReply({
    acceptsStream: takesStream(exchange.headers),
    left: exchange.left,
    owner: exchange.owner,
  });
  const losses = createLosses(services, { requestId, ids: [id], era: "modern" });
  const work = carryRounds({ services, exchange, id, round, client: reply, losses, gone }).catch(
    async (thrown: unknown) => {
      services.report(requestId, thrown);
      if (reply.streams()) return reply.end();
      const refusal = { reason: "internal" } as const;
      reply.answer(await refuse(refusal, { id, requestId, wireOf: modernWireOf }));
    },
  );
  services.background(work);
  return response;
}
