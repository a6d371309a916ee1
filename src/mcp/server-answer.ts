/** Reads the answer to one request out of a server's response. */
import { concatenated } from "../domain/bytes.ts";
import { own } from "../domain/json.ts";
import type { UpstreamAnswer } from "../domain/ports/upstream.ts";
import { declaredBytes } from "./body.ts";
import { isSameId, parsedId, parsedMessages } from "./json-text/exact-ids.ts";
import { createEventSplitter } from "./sse/event-splitter.ts";
import { createSegments, type Segments } from "./sse/segments.ts";

/** Bytes of one answer, or one event, that are buffered until it is known whether it asks for sampling. */
export const maxBufferedBytes = 16 * 1024 * 1024;
export const tooLarge = `Its answer is larger than ${maxBufferedBytes} bytes.`;

/** Whether a message responds to the request. An error without an id can't belong to another request. */
export function answers(text: string, idText: string): boolean {
  const message = parsedMessages(text);
  const id = own(message, "id");
  if (own(message, "error") !== undefined && (id === undefined || id === null)) return true;
  const isResponse = own(message, "result") !== undefined || own(message, "error") !== undefined;
  return isResponse && isSameId(id, parsedId(idText));
}

export async function bytesOf(response: UpstreamAnswer): Promise<Uint8Array<ArrayBuffer> | null> {
  if ((declaredBytes(response) ?? Infinity) <= maxBufferedBytes)
    return new Uint8Array(await response.arrayBuffer());
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBufferedBytes) return null;
    parts.push(part);
  }
  return concatenated(parts);
}

export interface Events {
  segments: Segments;
  isBetweenEvents: () => boolean;
}

/** A stream in parts, with separate events that may be for the router. */
export function eventsOf(
  response: UpstreamAnswer,
  looks: Pick<
    Parameters<typeof createEventSplitter>[0],
    "mayNeedRouter" | "surelyHarmless" | "read"
  >,
): Events {
  const splitter = createEventSplitter({ maxEventBytes: maxBufferedBytes, ...looks });
  const reader = response.body?.getReader();
  return { segments: createSegments(reader, splitter), isBetweenEvents: splitter.isBetweenEvents };
}
