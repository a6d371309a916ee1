/**
 * One stream per browser, since HTTP/1.1 allows six connections per host. The page with the browser's lock
 * reads it for the others.
 */
import type { RequestRecord } from "../requests/record.ts";

export type LiveEvent =
  | { kind: "records"; records: RequestRecord[]; id: string | null }
  /** too many changes: reload the list */
  | { kind: "reset"; id: string | null };

type Message =
  | { kind: "event"; tenant: string; event: LiveEvent }
  /** tenant of the browser's stream; `null` without one */
  | { kind: "follows"; tenant: string | null }
  | { kind: "whose" };

export interface BrowserStreamDeps {
  withLock: (signal: AbortSignal, act: () => Promise<void>) => Promise<void>;
  channel: {
    post: (message: Message) => void;
    listen: (onMessage: (message: Message) => void) => () => void;
  };
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

export type Following = { hear: (event: LiveEvent) => void; changed: (isLive: boolean) => void };

export function createBrowserStream(deps: BrowserStreamDeps) {
  const { withLock, channel, read, seen, wait, now } = deps;

  return (tenant: string, { hear, changed }: Following): (() => void) => {
    const over = new AbortController();
    // The list was just read.
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
        // Rejects when the page is hidden or left.
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
