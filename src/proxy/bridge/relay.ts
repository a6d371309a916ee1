import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { bridgedMode } from "../../domain/servers/bridging.ts";
import type { SealedServer } from "../../domain/servers/server.ts";
import { streamsAnswer } from "../../domain/servers/media-type.ts";
import { bytesOf, eventsOf, tooLarge } from "../../mcp/server-answer.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import type { TranslatedMessage } from "../../mcp/translate/translated-message.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";
import {
  conclude,
  concludeRefused,
  leaveUnanswered,
  type ClientReply,
  type RefusedRequest,
} from "../client-reply.ts";

/** Behind a bridge no client can be asked, which changes the server's mode. */
export const bridgedServer = (server: SealedServer): SealedServer => ({
  ...server,
  sampling: bridgedMode(server.sampling),
  ...(server.sampling === "client" && { samplingCrosses: false }),
});

export const bridgedCaller = (caller: Caller): Caller => ({
  ...caller,
  server: caller.server && bridgedServer(caller.server),
});

export interface Bridging {
  reply: ClientReply;
  request: RefusedRequest;
  translate(message: string): TranslatedMessage;
  /** Finishes before the client gets the answer, because its next request depends on it. */
  beforeAnswer?(message: string): Promise<void>;
  statusOf(status: number): number;
  gone: AbortSignal;
}

const cancelled: Refusal = { reason: "cancelled" };

export const answerTo = (
  { reply }: Pick<Bridging, "reply">,
  text: string,
  status: number,
): Promise<void> =>
  conclude(reply, {
    text: () => text,
    whole: () => new Response(text, { status, headers: { "Content-Type": "application/json" } }),
  });

function translated({ translate }: Bridging, message: string): TranslatedMessage {
  try {
    return translate(message);
  } catch {
    return { kind: "nothing" };
  }
}

/** How the relay of one answer ended: asked for input that the client has to give, refused, or answered. */
type Relayed = { asks: string } | { refusal: Refusal } | null;

async function relayStream(bridging: Bridging, response: ClientAnswer): Promise<Relayed> {
  const { reply, gone } = bridging;
  reply.begin({});
  const { segments } = eventsOf(response, {
    mayNeedRouter: () => true,
    surelyHarmless: () => false,
  });
  for await (const segment of segments) {
    if (gone.aborted) return { refusal: cancelled };
    if (segment.kind === "oversized") return { refusal: serverFailed(tooLarge) };
    if (segment.kind !== "event") continue;
    const translation = translated(bridging, segment.data);
    if (translation.kind === "nothing") continue;
    if (translation.kind === "refused") return { refusal: translation.refusal };
    if (translation.kind === "asks") return { asks: translation.text };
    if (translation.kind === "answer") await bridging.beforeAnswer?.(segment.data);
    await reply.write(sseMessageText(translation.text));
    if (translation.kind === "answer") {
      reply.end();
      return null;
    }
  }
  return { refusal: serverFailed("Its stream ended without an answer.") };
}

async function relayBody(bridging: Bridging, response: ClientAnswer): Promise<Relayed> {
  const bytes = await bytesOf(response);
  if (bytes === null) return { refusal: serverFailed(tooLarge) };
  const message = new TextDecoder().decode(bytes);
  const translation = translated(bridging, message);
  if (translation.kind === "refused") return { refusal: translation.refusal };
  if (bridging.gone.aborted) return { refusal: cancelled };
  if (translation.kind === "asks") return { asks: translation.text };
  if (translation.kind !== "answer")
    return { refusal: serverFailed("Its answer isn't a JSON-RPC response.", response.status) };
  await bridging.beforeAnswer?.(message);
  await answerTo(bridging, translation.text, bridging.statusOf(response.status));
  return null;
}

/** Ends the reply without an answer: with a refusal, or with nothing if the client has cancelled. */
export async function concludeWithout(bridging: Bridging, refusal: Refusal): Promise<void> {
  // A receiver of a cancellation sends no response. Source: 2025-11-25, basic/utilities/cancellation.
  if (bridging.gone.aborted) leaveUnanswered(bridging.reply);
  else await concludeRefused(bridging.reply, refusal, bridging.request);
}

/** @returns a result that asks for input, JSON text; the reply goes on. null: the reply has ended */
export async function relayTranslated(
  bridging: Bridging,
  response: ClientAnswer,
): Promise<string | null> {
  const relayed = await (streamsAnswer(response) ? relayStream : relayBody)(
    bridging,
    response,
  ).catch(() => ({ refusal: serverFailed("Its answer broke off.", response.status) }));
  if (relayed !== null && "asks" in relayed && !bridging.gone.aborted) return relayed.asks;
  if (relayed !== null)
    await concludeWithout(bridging, "refusal" in relayed ? relayed.refusal : cancelled);
  else if (bridging.gone.aborted) leaveUnanswered(bridging.reply);
  return null;
}
