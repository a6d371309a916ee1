import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf } from "./api.ts";
import { useRepeated } from "./load.ts";
import { consolePath } from "./place.ts";

/** HTTP/1.1 allows six connections to a host. Further visible pages of the browser poll. */
const maxStreams = 3;
/** ms between attempts to read the stream, and reads of the list: after changes; with a stream, which may end unnoticed; without */
const everyMs = { attempt: 30_000, changed: 1_000, live: 30_000, polled: 4_000 };

const isShown = (): boolean => document.visibilityState === "visible";
const isVisible = signal(isShown());
document.addEventListener("visibilitychange", () => void (isVisible.value = isShown()));

/** `report(true)`: a change */
type Following = { url: string; over: AbortSignal; report: (isLive: boolean) => void };

/** Until the router refuses it. The browser itself connects again to a router that was unreachable. */
const streamed = ({ url, over, report }: Following): Promise<void> =>
  new Promise((resolve) => {
    const stream = new EventSource(url);
    const end = (): void => {
      stream.close();
      report(false);
      resolve();
    };
    over.addEventListener("abort", end, { once: true });
    stream.addEventListener("error", () => {
      report(false);
      if (stream.readyState === EventSource.CLOSED) end();
    });
    for (const kind of ["ready", "started", "ended", "reset"])
      stream.addEventListener(kind, () => report(true));
  });

/** Routers behind different prefixes of an origin have separate streams. */
const follow = (its: Following, place = 1): Promise<void> =>
  navigator.locks.request(`live ${consolePath} ${place}`, { ifAvailable: true }, async (lock) => {
    if (its.over.aborted) return;
    if (lock !== null) await streamed(its);
    else if (place < maxStreams) await follow(its, place + 1);
  });

/**
 * Reads a list of requests again when one begins or ends. A hidden page reads nothing.
 * @returns whether a stream reports changes; otherwise, for example over plain http without locks, the page polls
 */
export function useLive(isOn: boolean, reload: () => Promise<void>): boolean {
  const url = addressOf("/admin/v1/tenants/{tenant}/requests/stream");
  const isWanted = isVisible.value && isOn;
  const [isLive, setLive] = useState(false);
  const [attempt, tryAgain] = useState(1);
  const isDue = useRef(false);
  const report = (isNow: boolean): void => {
    setLive(isNow);
    isDue.current ||= isNow;
  };
  useEffect(() => {
    if (!isWanted || !("locks" in navigator)) return undefined;
    const over = new AbortController();
    void follow({ url, over: over.signal, report });
    return () => over.abort();
  }, [url, isWanted, attempt]);
  useRepeated(isLive ? null : everyMs.attempt, async () => tryAgain(attempt + 1));
  useRepeated(isLive ? everyMs.live : everyMs.polled, async () => void (isDue.current = true));
  useRepeated(isOn ? everyMs.changed : null, async () => {
    if (!isDue.current) return;
    isDue.current = false;
    await reload();
  });
  return isLive;
}
