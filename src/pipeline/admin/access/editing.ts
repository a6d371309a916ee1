/** Optimistic locking of edits: no change overwrites what its author has not seen. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err } from "../../../domain/result.ts";

/** Whether the caller has seen the current state (RFC 9110, section 13.1.1). */
export type IfMatch = ((shown: unknown) => Promise<boolean>) | null;

const maxTries = 16;

export interface EditSteps<Current, Edited> {
  /** `version` of the tenant, no later than the read */
  read: () => AsyncResult<{ current: Current; shown: unknown; version: number }>;
  write: (current: Current, ifVersion: number) => AsyncResult<Edited>;
}

export async function edit<Current, Edited>(
  ifMatch: IfMatch,
  { read, write }: EditSteps<Current, Edited>,
): AsyncResult<Edited> {
  for (let tries = 1; ; tries += 1) {
    const found = await read();
    if (!found.ok) return found;
    const { current, shown, version } = found.value;
    if (ifMatch !== null && !(await ifMatch(shown))) return err({ reason: "precondition_failed" });
    const written = await write(current, version);
    const isRetried = !written.ok && written.error.reason === "precondition_failed";
    if (!isRetried || tries === maxTries) return written;
  }
}
