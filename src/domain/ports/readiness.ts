/** Whether a deployment can work: port of the readiness check. */
import type { AsyncResult } from "../refusals.ts";

/** Why a database that can be read takes no write. */
export type WriteFault = "read_only" | "full" | "too_slow" | "corrupt" | "replaced" | "refused";

/** Whether the database answers, has every migration, and takes writes. */
export interface Readiness {
  /** `outOfReach`: names of shards, where there are several. */
  check(): AsyncResult<{
    missingMigrations: string[];
    outOfReach?: string[];
    /** databases that can be read and not written; absent: none */
    writesFail?: { shard: string | null; fault: WriteFault }[];
  }>;
}
