/** Whether a deployment can work: port of the readiness check. */
import type { AsyncResult } from "../refusals.ts";

/** Why a database that can be read takes no write. */
export type WriteFault = "read_only" | "full" | "too_slow" | "corrupt" | "replaced" | "refused";

/** Whether the database answers, has every migration, and takes writes. */
export interface Readiness {
  check(): AsyncResult<{
    missingMigrations: string[];
    /** why the database takes no writes; absent if it takes them */
    writeFault?: WriteFault;
  }>;
}
