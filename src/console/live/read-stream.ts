/** Reads the stream of a tenant's records with `fetch`, since `EventSource` can't start at a given time. */
import { createEventReader, type ServerEvent } from "../../domain/event-stream.ts";
import { prefix } from "../place.ts";
import type { RequestRecord } from "../requests/record.ts";
import type { BrowserStreamDeps, LiveEvent } from "./browser-stream.ts";

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
  if (found.some(({ kind }) => kind === "reset")) return [{ kind: "reset", id }];
  const isNews = records.length > 0 || found.some(({ kind }) => kind === "ready");
  return isNews ? [{ kind: "records", records, id }] : [];
}

export const readStream: BrowserStreamDeps["read"] = async ({ tenant, since, signal }, onEvent) => {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), maxSilentMs);
  try {
    const answer = await fetch(
      `${prefix}/admin/v1/tenants/${encodeURIComponent(tenant)}/requests/stream`,
      {
        credentials: "same-origin",
        headers: { "Last-Event-ID": since },
        signal: AbortSignal.any([signal, silence.signal]),
      },
    );
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
