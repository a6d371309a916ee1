/** Edits of what two administrators may have before them at once: none overwrites what its author has not seen. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err } from "../../../domain/result.ts";

/**
 * Whether the caller has seen what is there now, in the form in which the API shows it. null: the caller does
 * not ask. Source: RFC 9110, section 13.1.1.
 */
export type IfMatch = ((shown: unknown) => Promise<boolean>) | null;

/** Another change of the same tenant may come between reading and writing, but not often. */
const mostTries = 16;

export interface EditSteps<Current, Edited> {
  /** `version`: of the tenant, no later than what was read with it */
  read: () => AsyncResult<{ current: Current; shown: unknown; version: number }>;
  /** `precondition_failed` where the tenant has another version by now. */
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
    if (!isRetried || tries === mostTries) return written;
  }
}
