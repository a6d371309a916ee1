import type { IdempotencyStore } from "../../domain/ports/ledger.ts";
import type { ProxyServices } from "../services.ts";
import type { Deliver } from "./deliver.ts";
import type { Streams } from "./streams.ts";

/** What a message of the legacy era needs besides. */
export interface LegacyServices extends ProxyServices {
  /** replay keys of requests that were intercepted on streams */
  idempotency: Pick<IdempotencyStore, "isTaken" | "deliver">;
  deliver: Deliver;
  streams: Streams;
}
