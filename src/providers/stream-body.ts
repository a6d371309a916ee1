/** The body of a provider's stream: bounded, and read only as fast as the client reads. */
import { answerTooLarge } from "./faults.ts";
import { maxErrorBytes } from "./bounded.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Unpacked bytes of one stream: a hundred thousand tokens, each in an event of its own, have 30 MB. */
export const maxStreamBytes = 64 * 1024 * 1024;

const doneEvent = "[DONE]";

export interface StreamBody {
  fetch: typeof fetch;
  /** Whether `[DONE]` was received, the last event of Chat Completions. */
  hasDoneEvent(): boolean;
}

/** A `fetch` for one attempt. A host's body may be no web stream, which the libraries need. */
export function streamBody(inner: typeof fetch): StreamBody {
  let tail = "";
  const decoder = new TextDecoder();
  const webStream = (body: ReadableStream<Bytes>, maxBytes: number): ReadableStream<Bytes> => {
    const reader = body.getReader();
    let left = maxBytes;
    return new ReadableStream<Bytes>(
      {
        async pull(controller) {
          const { done: isOver, value } = await reader.read();
          if (isOver) return controller.close();
          left -= value.byteLength;
          if (left < 0) {
            void reader.cancel().catch(() => undefined);
            return controller.error(answerTooLarge("text"));
          }
          tail = (tail + decoder.decode(value.subarray(-32))).slice(-32);
          controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  };
  return {
    async fetch(input, init) {
      const response = await inner(input, init);
      const { status, headers, body } = response;
      if (body === null) return response;
      const unpacked = new Headers(headers);
      unpacked.delete("content-encoding");
      unpacked.delete("content-length");
      const stream = webStream(body, response.ok ? maxStreamBytes : maxErrorBytes);
      return new Response(stream, { status, headers: unpacked });
    },
    hasDoneEvent: () => tail.includes(doneEvent),
  };
}
