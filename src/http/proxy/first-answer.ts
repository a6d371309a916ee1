/** The first answer in a response, be it JSON or a stream, with what else came before it. */
import { isObject, parsedJson, type JsonObject } from "../../domain/json.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { messageIn } from "../../mcp/proxy/message.ts";
import { isEventStream } from "./media-type.ts";

/** An answer to `initialize`, or to `server/discover`, holds names, capabilities and instructions. */
const maxAnswerBytes = 1024 * 1024;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export interface Begun {
  response: Response;
  /** the parsed answer; null: none could be found */
  answer: JsonObject | null;
  /** the answer's bytes as far as they were read, then the rest */
  body: ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer>;
}

/** The answer in what has arrived of an event stream; null: not yet. */
function answerIn(text: string): JsonObject | null {
  for (const block of text.split(/\r\n\r\n|\n\n|\r\r/).slice(0, -1)) {
    const data = block
      .split(/\r\n|\n|\r/)
      .flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []))
      .join("\n");
    const value = parsedJson(data);
    if (isObject(value) && messageIn(value).kind === "response") return value;
  }
  return null;
}

/** Reads as far as the answer goes, and no further. */
export async function readAnswer(response: Response): Promise<Result<Begun, Refusal>> {
  const reader = response.body?.getReader();
  let bytes = new Uint8Array(0);
  const streams = isEventStream(response);
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === null) return err(serverFailed("It broke off.", response.status));
    if (next === undefined || next.done) break;
    const longer = new Uint8Array(bytes.byteLength + next.value.byteLength);
    longer.set(bytes);
    longer.set(next.value, bytes.byteLength);
    bytes = longer;
    if (bytes.byteLength > maxAnswerBytes) {
      await reader?.cancel();
      return err(serverFailed("Its answer is too large.", response.status));
    }
    const answer = streams ? answerIn(decoder.decode(bytes)) : null;
    if (answer === null || reader === undefined) continue;
    const first = bytes;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(first),
      async pull(controller) {
        const more = await reader.read();
        if (more.done) controller.close();
        else controller.enqueue(more.value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return ok({ response, answer, body });
  }
  const text = decoder.decode(bytes);
  const value = streams ? answerIn(`${text}\n\n`) : parsedJson(text);
  return ok({ response, answer: isObject(value) ? value : null, body: bytes });
}

/** Nobody reads what is left of it. */
export async function dropBody({ body }: Begun): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel();
}
