/**
 * The attack: official clients read `text/event-stream2`, and any answer to GET, as a stream that the router
 * would not inspect.
 */
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { isAnyJson, mediaTypeIn } from "../../domain/servers/media-type.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

/** ms in which a blocked body may prove to be empty */
const emptyWithinMs = 1_000;

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

/** @returns `server_failed` if a 2xx body is neither JSON nor an event stream */
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
  // Clients ignore these bodies; SDK servers write "Accepted" or "OK".
  if (type.kind === "other" && (response.status === 202 || request.method === "DELETE"))
    return ok(withoutBody(response));
  // Clients read any answer to GET as a stream.
  const isRead = request.method === "GET" ? type.kind === "event-stream" : type.kind !== "other";
  if (!isRead) {
    if (await isEmpty(response, request.after))
      return ok(bare(response, without(response, ["content-type", "content-length"])));
    return err(
      serverFailed(
        request.method === "GET"
          ? "Its answer to GET isn't an event stream (text/event-stream)."
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
