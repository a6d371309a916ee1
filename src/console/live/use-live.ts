import { useEffect, useRef, useState } from "preact/hooks";
import { createEventReader, type ServerEvent } from "../../domain/event-stream.ts";
import { useRepeated } from "../load.ts";
import { consolePath, prefix, tenantHere } from "../place.ts";
import type { RequestRecord } from "../requests/record.ts";
import { createLiveStream, type LiveEvent, type LiveStreamDeps } from "./live-stream.ts";

/** HTTP/1.1 allows six connections to a host. Further visible pages of the browser poll. */
const maxStreams = 3;
/** ms; the router sends a comment every 25 s. */
const maxSilentMs = 60_000;
/** ms before a retry */
const pauses = { ended: 1_000, failed: 5_000, refused: 30_000 };

/** One event per chunk, so that pages render once. */
function eventsOf(found: readonly ServerEvent[]): LiveEvent[] {
  const id = found.findLast((event) => event.id !== null)?.id ?? null;
  const records = found.flatMap(({ kind, data }) =>
    kind === "started" || kind === "ended" ? [JSON.parse(data) as RequestRecord] : [],
  );
  if (found.some(({ kind }) => kind === "reset")) return [{ records: null, id }];
  const isNews = records.length > 0 || found.some(({ kind }) => kind === "ready");
  return isNews ? [{ records, id }] : [];
}

/** `EventSource` can’t start at a given time. */
const readStream: LiveStreamDeps["read"] = async ({ tenant, since, signal }, onEvent) => {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), maxSilentMs);
  const path = `/admin/v1/tenants/${encodeURIComponent(tenant)}/requests/stream`;
  try {
    const answer = await fetch(`${prefix}${path}`, {
      credentials: "same-origin",
      headers: { "Last-Event-ID": since },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!answer.ok || answer.body === null) return pauses.refused;
    const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const eventsIn = createEventReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return pauses.ended;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), maxSilentMs);
      for (const event of eventsOf(eventsIn(value))) onEvent(event);
    }
  } catch {
    return pauses.failed;
  } finally {
    clearTimeout(timer);
  }
};

/** Routers behind different prefixes of an origin have separate streams. */
const withPlace = (read: () => Promise<number>, place = 1): Promise<number> =>
  navigator.locks.request(`live ${consolePath} ${place}`, { ifAvailable: true }, (lock) => {
    if (lock !== null) return read();
    return place === maxStreams ? pauses.refused : withPlace(read, place + 1);
  });

const once = (target: EventTarget, kind: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    target.addEventListener(kind, () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

async function seen(signal: AbortSignal): Promise<AbortSignal> {
  while (document.visibilityState !== "visible" && !signal.aborted)
    await once(document, "visibilitychange", signal);
  const hidden = new AbortController();
  void once(document, "visibilitychange", signal).then(() => hidden.abort());
  return hidden.signal;
}

/** `null` without browser locks, as over plain http. */
const follow =
  "locks" in navigator
    ? createLiveStream({
        read: (from, onEvent) => withPlace(() => readStream(from, onEvent)),
        seen,
        wait: (ms, signal) => once(AbortSignal.timeout(ms), "abort", signal),
        now: () => Date.now(),
      })
    : null;

interface LiveOptions {
  isOn: boolean;
  hear: (records: readonly RequestRecord[]) => void;
  reload: () => Promise<void>;
}

export function useLive({ isOn, hear, reload }: LiveOptions): boolean {
  const tenant = tenantHere();
  const [isLive, setLive] = useState(false);
  const newest = useRef({ hear, reload });
  newest.current = { hear, reload };
  useEffect(() => {
    if (!isOn || follow === null) return undefined;
    const gathered: RequestRecord[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const give = () => newest.current.hear(gathered.splice(0));
    const end = follow(tenant, {
      changed: setLive,
      hear({ records }) {
        if (records === null) return void newest.current.reload();
        if (gathered.length === 0 && records.length > 0) timer = setTimeout(give, 200);
        gathered.push(...records);
      },
    });
    return () => {
      end();
      clearTimeout(timer);
      setLive(false);
    };
  }, [tenant, isOn]);
  useRepeated(isOn && !isLive ? 4_000 : null, reload);
  return isOn && isLive;
}
