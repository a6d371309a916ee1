/**
 * Batches of seals in order, each a complete export. A batch is planned first, so that it keeps its name when
 * sent again.
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { SendToSink, SinkStore, SinkStretch } from "../../domain/ports/audit-sink.ts";
import { createSignedExport } from "../admin/audit/export-lines.ts";
import { vouchedKeys, withCode } from "../scheduled/audit/audit-keys.ts";
import type { SealDeps } from "../scheduled/audit/seal-check.ts";

/** Some megabytes at most: a seal holds up to 256 records. */
const sealsInStretch = 8;
const stretchesAtOnce = 4;
/** ms: longer than an attempt takes. */
const claimedMs = 60_000;
const shortestPauseMs = 60_000;
const longestPauseMs = 3_600_000;

const digits = 12;
const numbered = (number: number): string => String(number).padStart(digits, "0");

/** Sorts by the chain's order. */
export const sinkName = ({ tenantId, after, through }: SinkStretch): string =>
  `${tenantId}/${numbered(after + 1)}-${numbered(through)}.ndjson`;

async function textOf(deps: SealDeps, stretch: SinkStretch): AsyncResult<string> {
  const { seals, now, signer } = deps;
  const { tenantId, slug, after, through } = stretch;
  const own = await Promise.all(signer.keys.map((key) => withCode(deps, key)));
  const kept = await seals.keepKeys(own, now());
  if (!kept.ok) return kept;
  const keys = await vouchedKeys(deps);
  if (!keys.ok) return keys;
  const lines = createSignedExport(deps, { tenant: { id: tenantId, slug }, filter: {} });
  let text = await lines.header({ after, through, keys: keys.value, exportedAt: now() });
  for (let number = after + 1; number <= through; number += 1) {
    const read = await seals.read(tenantId, { first: number, last: number });
    if (!read.ok) return read;
    text += await lines.page(read.value);
  }
  text += await lines.footer({ nextCursor: null, waiting: 0 });
  return ok(text);
}

export interface SinkDeps extends SealDeps {
  sinks: SinkStore;
  sendToSink: SendToSink | null;
}

export const createSinkJob = (deps: SinkDeps) => async (): AsyncResult<number> => {
  const { sinks, sendToSink, now, log } = deps;
  if (sendToSink === null) return ok(0);
  const at = now();
  const claimed = await sinks.claim({
    now: at,
    until: at + claimedMs,
    limit: stretchesAtOnce,
    max: sealsInStretch,
  });
  if (!claimed.ok) return claimed;
  let sent = 0;
  for (const stretch of claimed.value) {
    const text = await textOf(deps, stretch);
    if (!text.ok) return text;
    const fault = await sendToSink({ name: sinkName(stretch), text: text.value });
    const pause = Math.min(longestPauseMs, shortestPauseMs * 2 ** (stretch.attempts - 1));
    if (fault !== null) log({ event: "sink", tenantId: stretch.tenantId, fault });
    const noted =
      fault === null
        ? await sinks.delivered(stretch)
        : await sinks.failed(stretch, { fault, nextAt: now() + pause });
    if (!noted.ok) return noted;
    if (fault === null) sent += 1;
  }
  return ok(sent);
};
