/** A server's answer that goes to the client as it came. */
import { returnedHeaders } from "../domain/servers/proxied-headers.ts";
import { declaredBytes } from "../mcp/body.ts";
import { readAheadBytes } from "../mcp/sse/client-stream.ts";
import { streamedHeaders } from "./media-type.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A `Response` with a body, even an empty one, must not have these. */
const bodiless = new Set([204, 205, 304]);

const broken = (): ReadableStream<Bytes> =>
  new ReadableStream({ start: (controller) => controller.error(new Error("It broke off.")) });

/**
 * The answer as it came. A small body is read first: it may stand still, and a client may leave while nothing
 * is written to it.
 */
export async function passOn(response: Response): Promise<Response> {
  const { status } = response;
  const body = bodiless.has(status) ? null : response.body;
  const headers = returnedHeaders(response.headers);
  if (body === null) return new Response(null, { status, headers });
  if ((declaredBytes(response) ?? Infinity) > readAheadBytes)
    return new Response(body, { status, headers: streamedHeaders(headers) });
  const bytes = await response.arrayBuffer().catch(() => null);
  return new Response(bytes ?? broken(), { status, headers });
}
