/** An answer that began before the server's: status and kind are fixed, so the server's answer is written into the body. */
import type { ClientAnswer } from "../domain/ports/client-answer.ts";
import { parsedJson } from "../domain/json.ts";
import { serverFailed, type Refusal } from "../domain/refusals.ts";
import { isJson, streamedHeaders, streamsAnswer } from "../domain/servers/media-type.ts";
import { answers, bytesOf, eventsOf } from "../mcp/server-answer.ts";
import { sseMessageText } from "../mcp/sse/write.ts";
import type { BodyKind } from "./filler.ts";

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

export interface EarlyAnswer {
  kind: BodyKind;
  idText: string | null;
  refusalText: (refusal: Refusal) => string;
}

const types: Record<BodyKind, string> = {
  events: "text/event-stream",
  json: "application/json",
};

/** Stops intermediaries from buffering the first bytes. */
export const beginningHeaders = (kind: BodyKind): Record<string, string> => ({
  ...streamedHeaders({ "content-type": types[kind], "cache-control": "no-cache, private" }),
  "x-accel-buffering": "no",
});

const bodyOf = (text: string): Body | null => new Response(text).body;

async function answerIn(response: ClientAnswer, idText: string | null): Promise<string | null> {
  const { segments } = eventsOf(response, {
    mayNeedRouter: (data) => isAnswer(data, idText),
    surelyHarmless: () => false,
  });
  for await (const segment of segments) if (segment.kind === "event") return segment.data;
  return null;
}

const isAnswer = (text: string, idText: string | null): boolean =>
  idText === null ? parsedJson(text) !== undefined : answers(text, idText);

async function textIn(response: ClientAnswer, idText: string | null): Promise<string | null> {
  if (streamsAnswer(response)) return answerIn(response, idText);
  const bytes = await bytesOf(response);
  const text = bytes === null ? "" : new TextDecoder().decode(bytes);
  return isAnswer(text, idText) ? text : null;
}

/** The rest of a body that has begun, from the server's response. Never throws. */
export async function restOf(response: ClientAnswer, early: EarlyAnswer): Promise<Body | null> {
  const { kind, idText, refusalText } = early;
  const isPassed = kind === "events" ? streamsAnswer(response) : response.ok && isJson(response);
  if (isPassed) return response.body;
  const text = await textIn(response, idText).catch(() => null);
  const message =
    text ?? refusalText(serverFailed("Its answer isn't a JSON-RPC response.", response.status));
  return bodyOf(kind === "events" ? sseMessageText(message) : message);
}

export async function streamOf(response: ClientAnswer): Promise<Body | null> {
  if (streamsAnswer(response)) return response.body;
  await response.body?.cancel();
  return null;
}
