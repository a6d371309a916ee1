/**
 * Which bodies of a server reach a client that this server may not ask to sample. The attack: official clients
 * take `text/event-stream2` for a stream, and any answer to GET for one, while the router saw nothing to look
 * into.
 */
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { isAnyJson, mediaTypeIn } from "../../domain/servers/media-type.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

/** ms in which a body that may not pass can prove to be empty */
const emptyWithinMs = 1_000;

/** Whether a response has no body, or a body that ends before its first byte. */
async function isEmpty(
  response: UpstreamAnswer,
  after: (ms: number, act: () => void) => () => void,
): Promise<boolean> {
  if (response.body === null || response.headers.get("Content-Length") === "0") return true;
  const reader = response.body.getReader();
  const late = Promise.withResolvers<false>();
  const stop = after(emptyWithinMs, () => late.resolve(false));
  const ends = async (): Promise<boolean> => {
    for (;;) {
      const next = await reader.read();
      if (next.done || next.value.byteLength > 0) return next.done;
    }
  };
  try {
    return await Promise.race([ends(), late.promise]);
  } catch {
    return false;
  } finally {
    stop();
    void reader.cancel().catch(() => undefined);
  }
}

function without(response: UpstreamAnswer, names: readonly string[]): Headers {
  const headers = new Headers();
  response.headers.forEach((value, name) => {
    if (!names.includes(name)) headers.append(name, value);
  });
  return headers;
}

const bare = ({ status }: UpstreamAnswer, headers: Headers): UpstreamAnswer =>
  new Response(null, { status, headers });

const withoutBody = (response: UpstreamAnswer): UpstreamAnswer => {
  void response.body?.cancel().catch(() => undefined);
  return bare(response, without(response, ["content-type", "content-length"]));
};

/**
 * A response whose body is JSON or an event stream, or that has no body.
 *
 * @param request `after` acts in some ms, unless the function that it gives is called before
 * @returns `server_failed` where a 2xx answer holds something else
 */
export async function withKnownMedia(
  response: UpstreamAnswer,
  request: {
    method: "POST" | "GET" | "DELETE";
    after: (ms: number, act: () => void) => () => void;
  },
): Promise<Result<UpstreamAnswer, Refusal>> {
  if (response.body === null) return ok(response);
  const type = mediaTypeIn(response.headers.get("Content-Type"));
  if (!response.ok) return ok(isAnyJson(type) ? response : withoutBody(response));
  // Nobody waits for these bodies: SDK servers and frameworks write "Accepted" or "OK" there.
  if (type.kind === "other" && (response.status === 202 || request.method === "DELETE"))
    return ok(withoutBody(response));
  // A client reads whatever comes for GET as a stream.
  const isRead = request.method === "GET" ? type.kind === "event-stream" : type.kind !== "other";
  if (!isRead) {
    if (await isEmpty(response, request.after))
      return ok(bare(response, without(response, ["content-type", "content-length"])));
    return err(
      serverFailed(
        request.method === "GET"
          ? "Its answer to GET is no event stream (text/event-stream)."
          : "Its answer is neither JSON (application/json) nor an event stream (text/event-stream).",
        response.status,
      ),
    );
  }
  if (!type.hasOtherParameters) return ok(response);
  const headers = without(response, []);
  headers.set("Content-Type", type.essence);
  const { status, ok: isOk, body } = response;
  return ok({ status, ok: isOk, headers, body, arrayBuffer: () => response.arrayBuffer() });
}
