/** Records as server-sent events (HTML Living Standard, section 9.2). */
import type { AsyncResult } from "../../domain/refusals.ts";
import { refusalTable } from "../../domain/refusals.ts";
import { sseDataLines, sseKeepAlive } from "../../mcp/sse/write.ts";
import type { FeedItem, FeedListener } from "../../domain/ports/request-feed.ts";
import { shownRecord } from "./shown-record.ts";

/** ms between comments on a silent stream, and between permission checks. */
const silentMs = 25_000;
const watchMs = 10_000;

const eventOf = (kind: string, id: number | null, data: unknown): string =>
  `event: ${kind}\n${id === null ? "" : `id: ${id}\n`}${sseDataLines(JSON.stringify(data))}\n`;

const textOf = (item: FeedItem): string =>
  eventOf(item.kind, item.at, item.kind === "reset" ? {} : shownRecord(item.record));

export interface EventStreamDeps {
  listener: FeedListener;
  stillMay: () => AsyncResult<unknown>;
  now: () => number;
}

/** Not a generator: a pending generator can't be returned early. */
export function eventStreamOf({ listener, stillMay, now }: EventStreamDeps): AsyncIterable<string> {
  let isOver = false;
  let begun = false;
  let sentAt = now();
  let watchedAt = sentAt;
  const done = { done: true, value: undefined } as const;
  const sent = (value: string) => {
    sentAt = now();
    return { done: false, value } as const;
  };
  /** `null` to continue, also if the database is temporarily unreachable. */
  const lastEvent = async (): Promise<string | null> => {
    watchedAt = now();
    const still = await stillMay();
    if (still.ok || refusalTable[still.error.reason].retryable) return null;
    return eventOf("closed", null, { reason: still.error.reason });
  };
  const leave = (): void => {
    isOver = true;
    listener.leave();
  };
  const next = async (): Promise<IteratorResult<string, undefined>> => {
    if (!begun) {
      begun = true;
      return sent(eventOf("ready", now(), {}));
    }
    for (;;) {
      if (isOver) return done;
      // A slow reader may have exceeded the interval.
      if (now() - watchedAt >= watchMs) {
        const last = await lastEvent();
        if (last !== null) {
          leave();
          return sent(last);
        }
      }
      const item = await listener.next(Math.max(0, watchedAt + watchMs - now()));
      if (isOver || item === "gone") return done;
      if (item !== null) return sent(textOf(item));
      if (now() - sentAt >= silentMs) return sent(sseKeepAlive);
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        leave();
        return done;
      },
    }),
  };
}
