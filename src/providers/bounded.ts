/** `fetch` for answers that hold media: from the provider itself, and no larger than can be carried. */
import { InvalidResponseDataError } from "@ai-sdk/provider";
import { answerTooLarge } from "./faults.ts";
import { maxMediaBytes } from "./media.ts";

/** The media as base64, and the rest of the JSON around it. */
const maxWireBytes = Math.ceil((maxMediaBytes / 3) * 4) + 1024 * 1024;

/**
 * The answer's body is counted while it is read, so that one that never ends costs no more than the limit.
 * Some libraries fetch an image from a link in the answer: that would be any address that the provider
 * names, with the tenant's key or without.
 */
export function boundedFetch(inner: typeof fetch, baseUrl: string): typeof fetch {
  const { origin } = new URL(baseUrl);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new InvalidResponseDataError({ data: null, message: "A link instead of media." });
    const response = await inner(input, init);
    if (Number(response.headers.get("content-length") ?? 0) > maxWireBytes) {
      await response.body?.cancel();
      throw answerTooLarge();
    }
    if (response.body === null) return response;
    let read = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          read += bytes.byteLength;
          if (read > maxWireBytes) controller.error(answerTooLarge());
          else controller.enqueue(bytes);
        },
      }),
    );
    const headers = new Headers(response.headers);
    // Both describe the body as it travelled.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return new Response(counted, { status: response.status, headers });
  };
}
