import type { AsyncResult } from "../refusals.ts";

export interface SinkStretch {
  tenantId: string;
  slug: string;
  after: number;
  /** last seal of the stretch; unchanged by retries */
  through: number;
  attempts: number;
}

export interface SinkStore {
  /** Leases due stretches of at most `most` seals until `until`. */
  claim(asked: {
    now: number;
    until: number;
    limit: number;
    max: number;
  }): AsyncResult<SinkStretch[]>;
  /** Idempotent. */
  delivered(stretch: SinkStretch): AsyncResult<null>;
  failed(stretch: SinkStretch, about: { fault: string; nextAt: number }): AsyncResult<null>;
}

export interface SinkObject {
  name: string;
  text: string;
}

/** null: stored, now or before. Otherwise the error, without the URL, which may contain a secret. */
export type SendToSink = (object: SinkObject) => Promise<string | null>;
