/** The port of the audit sink: how far each tenant's chain was sent, and who sends it. */
import type { AsyncResult } from "../refusals.ts";

/** A stretch of one tenant's chain that is to be sent under one name. */
export interface SinkStretch {
  tenantId: string;
  slug: string;
  /** number of the last seal that the sink has */
  after: number;
  /** number of the last seal of the stretch: it stays the same however often the stretch is sent */
  through: number;
  /** so many times it was sent, or was about to be */
  attempts: number;
}

export interface SinkStore {
  /** Stretches that are due. Nobody else gets them until `until`. A stretch holds `most` seals at most. */
  claim(asked: {
    now: number;
    until: number;
    limit: number;
    most: number;
  }): AsyncResult<SinkStretch[]>;
  /** The sink has the stretch, whoever sent it; nothing where it is known already. */
  delivered(stretch: SinkStretch): AsyncResult<null>;
  /** The stretch is sent again at `nextAt`. */
  failed(stretch: SinkStretch, about: { fault: string; nextAt: number }): AsyncResult<null>;
}

/** One object of the sink. */
export interface SinkObject {
  /** tenant, and numbers of the first and the last seal: the same whenever it is sent */
  name: string;
  text: string;
}

/** null: the sink has it, now or from before. Else what went wrong, without the URL, which may hold a secret. */
export type SendToSink = (object: SinkObject) => Promise<string | null>;
