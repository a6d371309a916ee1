import type { IdempotencyStore } from "../../domain/ports/ledger.ts";
import type { ServerStore } from "../../domain/ports/server-stores.ts";
import type { Cancellation } from "../../pipeline/sampling/request/cancel.ts";
import type { Retests } from "../retests.ts";
import type { ProxyServices } from "../services.ts";
import type { Deliver } from "./post-answer.ts";
import type { Streams } from "./streams.ts";

export interface LegacyServices extends ProxyServices {
  cancellation: Cancellation;
  idempotency: Pick<IdempotencyStore, "isPrefixTaken" | "recordDelivery">;
  deliver: Deliver;
  servers: Pick<ServerStore, "learn">;
  streams: Streams;
  retests: Retests;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}
