/**
 * The pipeline, as one proxied message needs it, whatever its era: over the database of the caller's shard,
 * and no other.
 */
import type { Ids } from "../domain/tenancy/ids.ts";
import type { ServerStore } from "../domain/ports/server-stores.ts";
import type { Authenticate, CallerMemory } from "../pipeline/authenticate.ts";
import type { Cancellation } from "../pipeline/cancel.ts";
import type { Sample } from "../pipeline/sample.ts";
import type { Sessions } from "../pipeline/sessions.ts";
import type { Upstream } from "../pipeline/upstream.ts";
import type { OpenExchanges } from "./open-exchanges.ts";

export interface ProxyServices {
  authenticate: Authenticate;
  sample: Sample;
  sessions: Sessions;
  cancellation: Cancellation;
  upstream: Upstream;
  openExchanges: OpenExchanges;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** One structured line: ids, reasons and counts; never content. */
  note: (entry: Record<string, unknown>) => void;
  servers: Pick<ServerStore, "learn">;
  /** what this isolate remembers of callers, and of the servers that they call */
  callerMemory: Pick<CallerMemory, "amend">;
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
