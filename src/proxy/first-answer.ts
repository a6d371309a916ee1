import type { UpstreamAnswer } from "../domain/ports/upstream.ts";
import { isObject, parsedJson, type JsonObject } from "../domain/json.ts";
import { serverFailed, type Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { createEventReader } from "../mcp/sse/event-data.ts";
import { createEventSplitter } from "../mcp/sse/event-splitter.ts";
import { faultIn } from "../mcp/json-text/message-reader.ts";
import { messageIn } from "../mcp/message.ts";
import { concatenated } from "../domain/bytes.ts";
import { isEventStream } from "../domain/servers/media-type.ts";

/** Enough for the names, capabilities and instructions of `initialize` and `server/discover`. */
const maxAnswerBytes = 1024 * 1024;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

export interface FirstAnswer {
  response: UpstreamAnswer;
  answer: JsonObject | null;
  body: ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer>;
}

/** `certainly`: ignores an answer that another parser may read differently. */
type Reading = "certainly" | "anyhow";

/** @returns per part, null: not found yet; "unreadable": an answer that is ignored */
function createFinder(
  reading: Reading,
): (part: Uint8Array<ArrayBuffer>) => JsonObject | "unreadable" | null {
  const splitter = createEventSplitter({
    maxEventBytes: maxAnswerBytes,
    mayNeedRouter: () => true,
    surelyHarmless: () => false,
    read: reading === "certainly" ? createEventReader : undefined,
  });
  return (part) => {
    for (const segment of splitter.push(part)) {
      if (segment.kind === "unreadable") return "unreadable";
      const value = segment.kind === "event" ? parsedJson(segment.data) : undefined;
      if (isObject(value) && messageIn(value).kind === "response") return value;
    }
    return null;
  };
}

export async function readAnswer(
  response: UpstreamAnswer,
  reading: Reading = "anyhow",
): Promise<Result<FirstAnswer, Refusal>> {
  const reader = response.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const find = isEventStream(response) ? createFinder(reading) : null;
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === null)
      return err(
        serverFailed("The connection was lost before its answer was complete.", response.status),
      );
    if (next === undefined || next.done) break;
    parts.push(next.value);
    size += next.value.byteLength;
    if (size > maxAnswerBytes) {
      await reader?.cancel();
      return err(serverFailed("Its answer is too large.", response.status));
    }
    const answer = find?.(next.value) ?? null;
    if (answer === null || reader === undefined) continue;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(concatenated(parts)),
      async pull(controller) {
        const more = await reader.read();
        if (more.done) controller.close();
        else controller.enqueue(more.value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return ok({ response, answer: answer === "unreadable" ? null : answer, body });
  }
  const bytes = concatenated(parts);
  const value = find === null ? parsedJson(decoder.decode(bytes)) : find(encoder.encode("\n\n"));
  const isRead = find !== null || reading === "anyhow" || faultIn(bytes, "server") === null;
  return ok({ response, answer: isRead && isObject(value) ? value : null, body: bytes });
}

export async function dropBody({ body }: FirstAnswer): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel();
}
