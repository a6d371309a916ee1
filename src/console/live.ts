import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf } from "./api.ts";
import { useRepeated } from "./load.ts";
import { consolePath } from "./place.ts";

/** HTTP/1.1 allows six connections to a host. Further visible pages of the browser poll. */
const maxStreams = 3;
/** ms before another try to read the stream */
const retryMs = 30_000;
/** ms between reads of the list: after changes; while a stream is read, since it may have ended unnoticed; without one */
const readMs = { changed: 1_000, live: 30_000, polled: 4_000 };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Following {
  url: string;
  signal: AbortSignal;
  changed: () => void;
  setLive: (isLive: boolean) => void;
}

/** Until the router refuses it. The browser itself connects again to a router that was unreachable. */
const streamed = ({ url, signal, changed, setLive }: Following): Promise<void> =>
  new Promise((resolve) => {
    const stream = new EventSource(url);
    const end = (): void => {
      stream.close();
      setLive(false);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    stream.addEventListener("error", () => {
      setLive(false);
      if (stream.readyState === EventSource.CLOSED) end();
    });
    for (const kind of ["ready", "started", "ended", "reset"])
      stream.addEventListener(kind, () => {
        setLive(true);
        changed();
      });
  });

/** Routers behind different prefixes of an origin have separate streams. */
const withPlace = (act: () => Promise<void>, place = 1): Promise<void> =>
  navigator.locks.request(`live ${consolePath} ${place}`, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await act();
    else if (place < maxStreams) await withPlace(act, place + 1);
  });

async function follow(its: Following): Promise<void> {
  while (!its.signal.aborted) {
    await withPlace(() => streamed(its));
    if (!its.signal.aborted) await pause(retryMs);
  }
}

function useVisible(): boolean {
  const isNow = (): boolean => document.visibilityState === "visible";
  const [isVisible, set] = useState(isNow);
  useEffect(() => {
    const look = (): void => set(isNow());
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isVisible;
}

/**
 * Reads a list of requests again when one begins or ends. A hidden page reads nothing.
 * @returns whether a stream reports changes; otherwise, for example over plain http without locks, the page polls
 */
export function useLive(isOn: boolean, reload: () => Promise<void>): boolean {
  const url = addressOf("/admin/v1/tenants/{tenant}/requests/stream");
  const isWanted = useVisible() && isOn;
  const [isLive, setLive] = useState(false);
  const isDue = useRef(false);
  const changed = (): void => void (isDue.current = true);
  useEffect(() => {
    if (!isWanted || !("locks" in navigator)) return undefined;
    const over = new AbortController();
    void follow({ url, signal: over.signal, changed, setLive });
    return () => over.abort();
  }, [url, isWanted]);
  useRepeated(isLive ? readMs.live : readMs.polled, async () => changed());
  useRepeated(isOn ? readMs.changed : null, async () => {
    if (!isDue.current) return;
    isDue.current = false;
    await reload();
  });
  return isLive;
}
