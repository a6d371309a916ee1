import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf } from "./api.ts";
import { useRepeated } from "./load.ts";
import { consolePath } from "./place.ts";

/** HTTP/1.1 allows six connections to a host. Further visible pages of the browser poll. */
const maxStreams = 3;
/** ms; changes within this time are one */
const gatherMs = 200;
/** ms before another try to read the stream */
const retryMs = 30_000;
/** ms between reads of the list; a stream may have ended unnoticed */
const pollMs = { live: 30_000, otherwise: 4_000 };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `act` soon after each change, for at most a fifth of the time. */
function paced(act: () => Promise<void>): () => Promise<void> {
  let isDue = false;
  let isBusy = false;
  return async () => {
    isDue = true;
    if (isBusy) return;
    isBusy = true;
    while (isDue) {
      await pause(gatherMs);
      isDue = false;
      const before = performance.now();
      await act();
      await pause(4 * (performance.now() - before));
    }
    isBusy = false;
  };
}

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
  const newest = useRef(reload);
  newest.current = reload;
  useEffect(() => {
    if (!isWanted || !("locks" in navigator)) return undefined;
    const over = new AbortController();
    const changed = paced(() => newest.current());
    void follow({ url, signal: over.signal, changed: () => void changed(), setLive });
    return () => over.abort();
  }, [url, isWanted]);
  useRepeated(isOn ? pollMs[isLive ? "live" : "otherwise"] : null, reload);
  return isLive;
}
