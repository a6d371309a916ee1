/**
 * One stream of records for a whole browser. HTTP/1.1 allows six connections to a host, so a stream for each page
 * would soon take them all. The page that holds the browser's lock reads the stream, and tells the others. A page
 * that is not seen holds nothing. A page that no stream serves asks again and again instead.
 */
import type { RequestRecord } from "../requests/record.ts";

export type LiveEvent =
  | { kind: "records"; records: RequestRecord[]; id: string | null }
  /** so much happened that the list is read anew */
  | { kind: "reset"; id: string | null };

type Message =
  | { kind: "event"; tenant: string; event: LiveEvent }
  /** whose records the browser's stream has; null: there is no stream now */
  | { kind: "follows"; tenant: string | null }
  | { kind: "whose" };

export interface BrowserStreamDeps {
  /** Runs while it holds the browser's one lock. Rejects when it was called off before. */
  withLock: (signal: AbortSignal, act: () => Promise<void>) => Promise<void>;
  channel: {
    post: (message: Message) => void;
    listen: (heard: (message: Message) => void) => () => void;
  };
  /** Reads until the stream ends, and says how long to wait before another. */
  read: (
    from: { tenant: string; since: string; signal: AbortSignal },
    tell: (event: LiveEvent) => void,
  ) => Promise<number>;
  /** Waits until the page is seen; its signal ends when the page is hidden. */
  seen: (signal: AbortSignal) => Promise<AbortSignal>;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  now: () => number;
}

export interface Following {
  hear: (event: LiveEvent) => void;
  /** whether a stream serves the page now */
  changed: (isLive: boolean) => void;
}

/** Gives what follows a tenant's records until its end is called. */
export function createBrowserStream(deps: BrowserStreamDeps) {
  const { withLock, channel, read, seen, wait, now } = deps;

  return (tenant: string, { hear, changed }: Following): (() => void) => {
    const over = new AbortController();
    // The list was read just before; what happens from now on is news.
    let since = String(now());
    const take = (event: LiveEvent): void => {
      since = event.id ?? since;
      hear(event);
    };
    let isReading = false;
    const forget = channel.listen((message) => {
      if (message.kind === "whose" && isReading) channel.post({ kind: "follows", tenant });
      if (message.kind === "follows") changed(message.tenant === tenant);
      if (message.kind === "event" && message.tenant === tenant) take(message.event);
    });
    const readOn = async (signal: AbortSignal): Promise<void> => {
      let pause = 0;
      await withLock(signal, async () => {
        const begin = (): void => {
          if (isReading) return;
          isReading = true;
          changed(true);
          channel.post({ kind: "follows", tenant });
        };
        pause = await read({ tenant, since, signal }, (event) => {
          begin();
          take(event);
          channel.post({ kind: "event", tenant, event });
        });
        isReading = false;
        changed(false);
        channel.post({ kind: "follows", tenant: null });
      });
      await wait(pause, signal);
    };
    const follow = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const hidden = await seen(over.signal);
        if (over.signal.aborted) return;
        channel.post({ kind: "whose" });
        // A call that was called off rejects: the page was hidden, or left.
        await readOn(AbortSignal.any([hidden, over.signal])).catch(() => {});
      }
    };
    void follow();
    return () => {
      over.abort();
      forget();
    };
  };
}
