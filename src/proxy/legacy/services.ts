import type { IdempotencyStore } from "../../domain/ports/ledger.ts";
import type { ServerStore } from "../../domain/ports/server-stores.ts";
import type { Cancellation } from "../../pipeline/sampling/request/cancel.ts";
import type { ProxyServices } from "../services.ts";
import type { Deliver } from "./deliver.ts";
import type { Retests } from "../retests.ts";
import type { Streams } from "./streams.ts";

/** What a message of the legacy era needs besides. */
export interface LegacyServices extends ProxyServices {
  cancellation: Cancellation;
  /** of requests that were intercepted on streams */
  idempotency: Pick<IdempotencyStore, "isTaken" | "deliver">;
  deliver: Deliver;
  servers: Pick<ServerStore, "learn">;
  streams: Streams;
  retests: Retests;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}
