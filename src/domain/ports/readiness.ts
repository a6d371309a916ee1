import type { AsyncResult } from "../refusals.ts";

export type WriteFault = "read_only" | "full" | "too_slow" | "corrupt" | "replaced" | "refused";

export interface Readiness {
  check(): AsyncResult<{
    missingMigrations: string[];
    writeFault?: WriteFault;
  }>;
}
