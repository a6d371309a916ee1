/** Follows the stream of records while the page is visible, from the last event on. */
import type { RequestRecord } from "../requests/record.ts";

/** Without records, too much changed: reload the list. */
export type LiveEvent = { id: string | null; records: RequestRecord[] | null };

export interface LiveStreamDeps {
  /** Reads until the stream ends; resolves to the ms to wait before the next. */
  read: (
    from: { tenant: string; since: string; signal: AbortSignal },
    onEvent: (event: LiveEvent) => void,
  ) => Promise<number>;
  /** Resolves when the page is visible; its signal aborts when hidden. */
  seen: (signal: AbortSignal) => Promise<AbortSignal>;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  now: () => number;
}

type Following = { hear: (event: LiveEvent) => void; changed: (isLive: boolean) => void };

export const createLiveStream =
  ({ read, seen, wait, now }: LiveStreamDeps) =>
  (tenant: string, { hear, changed }: Following): (() => void) => {
    const over = new AbortController();
    // The list was just read.
    let since = String(now());
    const take = (event: LiveEvent): void => {
      since = event.id ?? since;
      changed(true);
      hear(event);
    };
    const follow = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const signal = AbortSignal.any([await seen(over.signal), over.signal]);
        if (signal.aborted) continue;
        const pause = await read({ tenant, since, signal }, take);
        changed(false);
        if (!signal.aborted) await wait(pause, signal);
      }
    };
    void follow();
    return () => over.abort();
  };
