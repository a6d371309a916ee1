/**
 * The pipeline and the proxy's own parts, as one proxied message needs them: over the database of the
 * caller's shard, and no other.
 */
import type { Ids } from "../domain/tenancy/ids.ts";
import type { IdempotencyStore } from "../domain/ports/ledger.ts";
import type { ServerStore } from "../domain/ports/server-stores.ts";
import type { Authenticate } from "../pipeline/authenticate.ts";
import type { Cancellation } from "../pipeline/cancel.ts";
import type { Sample } from "../pipeline/sample.ts";
import type { Sessions } from "../pipeline/sessions.ts";
import type { Upstream } from "../pipeline/upstream.ts";
import type { Deliver } from "./legacy/deliver.ts";
import type { Streams } from "./legacy/streams.ts";
import type { BeginRounds } from "./modern/rounds.ts";
import type { OpenExchanges } from "./open-exchanges.ts";

export interface ProxyServices {
  authenticate: Authenticate;
  sample: Sample;
  sessions: Sessions;
  cancellation: Cancellation;
  upstream: Upstream;
  rounds: BeginRounds;
  /** of requests that were taken out of streams */
  idempotency: Pick<IdempotencyStore, "isTaken" | "deliver">;
  deliver: Deliver;
  streams: Streams;
  openExchanges: OpenExchanges;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** One structured line: ids, reasons and counts; never content. */
  note: (entry: Record<string, unknown>) => void;
  servers: Pick<ServerStore, "learn">;
  /** Work that outlives the caller. */
  background: (work: Promise<unknown>) => void;
  ids: Ids;
  now: () => number;
  /** ms, for durations: never set back */
  elapsed: () => number;
  sha256Hex: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>;
  /** One structured line for what nobody expected: the name of what was thrown, never its message. */
  report: (requestId: string, thrown: unknown) => void;
}
