/** Passes a server's answer to the client unchanged. */
import { plainAnswer, type ClientAnswer } from "../domain/ports/client-answer.ts";
import type { AnswerBody, UpstreamAnswer } from "../domain/ports/upstream.ts";
import { streamedHeaders } from "../domain/servers/media-type.ts";
import { returnedHeaders } from "../domain/servers/proxied-headers.ts";
import { declaredBytes } from "../mcp/body.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A `Response` with a body, even an empty one, must not have these. */
const bodiless = new Set([204, 205, 304]);

const broken = (): ReadableStream<Bytes> =>
  new ReadableStream({ start: (controller) => controller.error(new Error("It broke off.")) });

function webStreamOf(body: AnswerBody): ReadableStream<Bytes> {
  if (body instanceof ReadableStream) return body;
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const next = await reader.read();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

export const asItCame = ({ status, headers }: UpstreamAnswer, content: Bytes): ClientAnswer =>
  plainAnswer({ status, fields: returnedHeaders(headers), content });

const maxReadFirstBytes = 64 * 1024;

/** A small body is read first: it may stall, and a client that leaves meanwhile goes unnoticed until something is written. */
export async function passOn(response: UpstreamAnswer): Promise<Response> {
  const { status } = response;
  const body = bodiless.has(status) ? null : response.body;
  const headers = returnedHeaders(response.headers);
  if (body === null) return new Response(null, { status, headers });
  if ((declaredBytes(response) ?? Infinity) > maxReadFirstBytes)
    return new Response(webStreamOf(body), { status, headers: streamedHeaders(headers) });
  const bytes = await response.arrayBuffer().catch(() => null);
  return new Response(bytes ?? broken(), { status, headers });
}
