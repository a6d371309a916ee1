import { useEffect, useRef, useState } from "preact/hooks";
import { useRepeated } from "../load.ts";
import { consolePath, tenantHere } from "../place.ts";
import type { RequestRecord } from "../requests/record.ts";
import { createBrowserStream } from "./browser-stream.ts";
import { readStream } from "./read-stream.ts";

/** Routers behind different prefixes of an origin have separate streams. */
const name = `sampling-router-live ${consolePath}`;

const once = (target: EventTarget, kind: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    target.addEventListener(kind, () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

const isSeen = (): boolean => document.visibilityState === "visible";

async function seen(signal: AbortSignal): Promise<AbortSignal> {
  while (!isSeen() && !signal.aborted) await once(document, "visibilitychange", signal);
  const hidden = new AbortController();
  void once(document, "visibilitychange", signal).then(() => hidden.abort());
  return hidden.signal;
}

function followHere() {
  const channel = new BroadcastChannel(name);
  return createBrowserStream({
    withLock: (signal, act) => navigator.locks.request(name, { signal }, act),
    channel: {
      post: channel.postMessage.bind(channel),
      listen(onMessage) {
        const listener = ({ data }: MessageEvent): void => onMessage(data);
        channel.addEventListener("message", listener);
        return () => channel.removeEventListener("message", listener);
      },
    },
    read: readStream,
    seen,
    async wait(ms, signal) {
      await once(AbortSignal.timeout(ms), "abort", signal);
    },
    now: () => Date.now(),
  });
}
/** `null` without browser locks, as over plain http. */
const follow = "locks" in navigator ? followHere() : null;

interface LiveOptions {
  isOn: boolean;
  hear: (records: readonly RequestRecord[]) => void;
  reload: () => Promise<void>;
}

const gatherMs = 200;
const pollMs = 4_000;

export function useLive({ isOn, hear, reload }: LiveOptions): boolean {
  const tenant = tenantHere();
  const [isLive, setLive] = useState(false);
  const newest = useRef({ hear, reload });
  newest.current = { hear, reload };
  useEffect(() => {
    if (!isOn || follow === null) return undefined;
    let gathered: RequestRecord[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const give = (): void => {
      timer = null;
      newest.current.hear(gathered);
      gathered = [];
    };
    const end = follow(tenant, {
      changed: setLive,
      hear(event) {
        if (event.kind === "reset") return void newest.current.reload();
        gathered.push(...event.records);
        if (gathered.length > 0) timer ??= setTimeout(give, gatherMs);
      },
    });
    return () => {
      end();
      if (timer !== null) clearTimeout(timer);
      setLive(false);
    };
  }, [tenant, isOn]);
  useRepeated(isOn && !isLive ? pollMs : null, reload);
  return isOn && isLive;
}
