import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import {
  isJson,
  streamedHeaders,
  streamsAnswer,
  takesStream,
} from "../../domain/servers/media-type.ts";
import { returnedHeaders } from "../../domain/servers/proxied-headers.ts";
import { modernWireOf } from "../../mcp/faults.ts";
import { asksToSample, startsResponse, surelyHarmless } from "../../mcp/json-text/message-head.ts";
import { faultIn } from "../../mcp/json-text/message-reader.ts";
import { requestsIn } from "../../mcp/message.ts";
import { answers, bytesOf, eventsOf, maxBufferedBytes, tooLarge } from "../../mcp/server-answer.ts";
import type { ServerSender } from "../../mcp/sse/event-data.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import { concludeRefused, openClientReply, type ClientReply } from "../client-reply.ts";
import { sendOn, type Exchange } from "../exchange.ts";
import { readJsonBody } from "../json-body.ts";
import { createLosses, passRest, unreadableAnswer, type Losses } from "../losses.ts";
import { asItCame, passOn } from "../pass-on.ts";
import type { ModernServices } from "./rounds.ts";

/** By default, it ignores a byte order mark, as JSON readers do. */
const decoder = new TextDecoder();

interface RelayContext {
  client: ClientReply;
  losses: Losses | null;
  requestIdJson: string;
}

async function relayStream(
  response: UpstreamAnswer,
  { client, losses }: RelayContext,
): Promise<null> {
  const { segments, isBetweenEvents } = eventsOf(response, {
    mayNeedRouter: losses === null ? () => false : asksToSample,
    surelyHarmless: losses === null ? () => true : surelyHarmless,
    read: losses?.read,
  });
  client.begin(returnedHeaders(response.headers), isBetweenEvents);
  await passRest(segments, { client, losses });
  client.end();
  return null;
}

const bodyProblems = {
  broken: "The connection was lost before its answer was complete.",
  too_large: tooLarge,
  whole: "Its answer isn't a JSON-RPC response.",
};

/** Forwards JSON unchanged; large or slow bodies are streamed. @returns a refusal if nothing was forwarded */
async function relayJson(
  response: UpstreamAnswer,
  { client, losses }: RelayContext,
): Promise<Refusal | null> {
  const { status } = response;
  if (losses === null || !response.ok || response.body === null || !isJson(response)) {
    client.answer(await passOn(response));
    return null;
  }
  const read = await readJsonBody(response, {
    mayPass: startsResponse,
    maxBytes: maxBufferedBytes,
    sender: losses.sender,
    unreadable: losses.note,
  });
  if (read.kind === "unreadable") {
    losses.note(read.fault);
    return unreadableAnswer(read.fault);
  }
  if (read.kind === "parts") {
    const headers = streamedHeaders(returnedHeaders(response.headers));
    client.answer(new Response(read.body, { status, headers }));
    return null;
  }
  if (read.kind !== "whole" || asksToSample(decoder.decode(read.bytes)))
    return serverFailed(bodyProblems[read.kind], status);
  client.answer(asItCame(response, read.bytes));
  return null;
}

async function relayInStream(
  response: UpstreamAnswer,
  { client, losses, requestIdJson }: RelayContext,
): Promise<Refusal | null> {
  const bytes = await bytesOf(response).catch(() => null);
  const text = bytes === null ? "" : decoder.decode(bytes);
  const fault = bytes === null || losses === null ? null : faultIn(bytes, losses.sender);
  if (fault !== null) {
    losses?.note(fault);
    return unreadableAnswer(fault);
  }
  if (!answers(text, requestIdJson))
    return serverFailed("Its answer isn't a JSON-RPC response.", response.status);
  await client.write(sseMessageText(text));
  client.end();
  return null;
}

/** @param message `sender`: by default `roundless`, whose results may not request sampling */
export async function passThrough(
  services: Pick<ModernServices, "background" | "note" | "report" | "upstream">,
  exchange: Exchange,
  message: { body: string | Uint8Array<ArrayBuffer> | null; sender?: ServerSender },
): Promise<ClientAnswer> {
  const { body, sender = "roundless" } = message;
  const { requestId } = exchange;
  const [request] = exchange.body === null ? [] : requestsIn(exchange.body);
  const id = request?.id ?? null;
  const { reply, response, gone } = openClientReply({
    // While the server is silent, comments in a stream reveal that the client has disconnected.
    acceptsStream: request !== undefined && takesStream(exchange.headers),
    left: exchange.left,
    owner: exchange.owner,
  });
  const relay = async (): Promise<Refusal | null> => {
    const sent = await sendOn(services, exchange, { body, signal: gone });
    if (!sent.ok) return sent.error;
    const losses =
      exchange.server.sampling === "client"
        ? null
        : createLosses(services, {
            requestId,
            ids: id === null ? [] : [id],
            era: "modern",
            sender,
          });
    const context = { client: reply, losses, requestIdJson: JSON.stringify(id) };
    if (streamsAnswer(sent.value)) return relayStream(sent.value, context);
    return reply.streams() ? relayInStream(sent.value, context) : relayJson(sent.value, context);
  };
  const relayed = relay()
    .catch((thrown: unknown): Refusal => {
      services.report(requestId, thrown);
      return { reason: "internal" };
    })
    .then((refusal) =>
      refusal === null
        ? undefined
        : concludeRefused(reply, refusal, { id, requestId, wireOf: modernWireOf }),
    );
  services.background(relayed);
  return response;
}
