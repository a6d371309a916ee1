/** An answer to a modern request without rounds, on its way to the client. */
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { serverFailed } from "../../domain/refusals.ts";
import { faultIn } from "../../mcp/json-text/message-reader.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import { returnedHeaders } from "../../domain/servers/proxied-headers.ts";
import { readJsonBody } from "../json-body.ts";
import { passRest, unreadableAnswer, type Reading } from "../losses.ts";
import { asksToSample, startsResponse, surelyHarmless } from "../message-head.ts";
import { isJson, streamedHeaders, streamsAnswer } from "../media-type.ts";
import {
  answers,
  asItCame,
  bytesOf,
  eventsOf,
  mostHeldBytes,
  tooLarge,
  type Relaying,
} from "./relay.ts";
import { passOn } from "../pass-on.ts";

/** Reads past a byte order mark, as readers of JSON bodies do. */
const decoder = new TextDecoder();

/** A stream in which nothing is for the router, with comments where the server is silent for long. */
async function relayStream(response: UpstreamAnswer, { client, losses }: Reading): Promise<void> {
  const { segments, isBetweenEvents } = eventsOf(response, {
    mayNeedRouter: losses === null ? () => false : asksToSample,
    surelyHarmless: losses === null ? () => true : surelyHarmless,
    read: losses?.read,
  });
  client.begin(returnedHeaders(response.headers), isBetweenEvents);
  await passRest(segments, { client, losses });
  client.end();
}

interface Answer extends Pick<Relaying, "refuse" | "refusalText">, Reading {
  idText: string;
}

const bodyFaults = {
  broken: "It broke off.",
  too_large: tooLarge,
  whole: "Its answer is no JSON-RPC response.",
};

/**
 * JSON as it came, perhaps while it arrives. Where it does not matter how others read the JSON, nobody reads
 * it.
 */
async function relayJson(
  response: UpstreamAnswer,
  { client, losses, refuse }: Answer,
): Promise<void> {
  const { status } = response;
  if (losses === null || !response.ok || response.body === null || !isJson(response))
    return client.answer(await passOn(response));
  const read = await readJsonBody(response, {
    mayPass: startsResponse,
    mostBytes: mostHeldBytes,
    sender: losses.sender,
    unreadable: losses.note,
  });
  const headers = returnedHeaders(response.headers);
  if (read.kind === "whole" && !asksToSample(decoder.decode(read.bytes)))
    return client.answer(asItCame(response, read.bytes));
  if (read.kind === "parts")
    return client.answer(new Response(read.body, { status, headers: streamedHeaders(headers) }));
  if (read.kind === "unreadable") losses.note(read.fault);
  const refusal =
    read.kind === "unreadable"
      ? unreadableAnswer(read.fault)
      : serverFailed(bodyFaults[read.kind], status);
  client.answer(await refuse(refusal, null));
}

/**
 * An answer in which nothing is for the router. Where a stream has begun meanwhile, it is the stream's last
 * message.
 */
export async function relayAnswer(response: UpstreamAnswer, answering: Answer): Promise<void> {
  const { client, losses, refusalText, idText } = answering;
  if (streamsAnswer(response)) return relayStream(response, answering);
  if (!client.streams()) return relayJson(response, answering);
  const bytes = await bytesOf(response).catch(() => null);
  const text = bytes === null ? "" : decoder.decode(bytes);
  const fault = bytes === null || losses === null ? null : faultIn(bytes, losses.sender);
  if (fault !== null) losses?.note(fault);
  const refusal =
    fault === null
      ? serverFailed("Its answer is no JSON-RPC response.", response.status)
      : unreadableAnswer(fault);
  const isAnswer = fault === null && answers(text, idText);
  await client.write(sseMessageText(isAnswer ? text : refusalText(refusal, null)));
  client.end();
}
