/**
 * A stream ends soon after its caller's key does: it was let in once, and may be open for days. The state
 * of a key is read again every few seconds, once for all streams of a key and a server in this isolate.
 */
import type { Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";
import { isEventStream } from "./media-type.ts";

/** With the age of what is remembered of a key (`watchMs`), and the time of one read: below 5 s. */
const tickMs = 1_000;

/** A database that can't be asked says nothing against a key. */
const ending: ReadonlySet<Refusal["reason"]> = new Set(["unauthorized", "forbidden", "not_found"]);

/** Whether a body goes on while it arrives: events, or JSON that nobody may hold back. */
const isStreamed = (response: Response): boolean =>
  response.body !== null &&
  (isEventStream(response) || response.headers.get("Content-Encoding") === "identity");

/** @param current the caller as of now, some seconds old at most */
export function endWithKey(
  response: Response,
  current: () => Promise<Result<unknown, Refusal>>,
): Response {
  if (!isStreamed(response) || response.body === null) return response;
  const reader = response.body.getReader();
  let timer: ReturnType<typeof setInterval> | undefined;
  const state = { over: false, asks: false };
  const stop = (): void => {
    state.over = true;
    clearInterval(timer);
  };
  const look = async (controller: ReadableStreamDefaultController<unknown>): Promise<void> => {
    if (state.asks || state.over) return;
    state.asks = true;
    const found = await current().finally(() => (state.asks = false));
    // While it was read, the stream may have ended by itself.
    if (found.ok || !ending.has(found.error.reason) || timer === undefined) return;
    if (state.over as boolean) return;
    stop();
    controller.close();
    await reader.cancel();
  };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        timer = setInterval(() => void look(controller).catch(() => undefined), tickMs);
      },
      async pull(controller) {
        try {
          const next = await reader.read();
          if (state.over) return;
          if (!next.done) return controller.enqueue(next.value);
          stop();
          controller.close();
        } catch (thrown) {
          stop();
          throw thrown;
        }
      },
      async cancel(reason) {
        stop();
        await reader.cancel(reason);
      },
    },
    // What waits for a slow reader waits in the stream behind.
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
