/** How a Workers runtime that was started on a state directory is found again. */
import { join } from "node:path";

/**
 * The path under which the runtime is started: a link in the state directory. It is the first
 * argument of the process, which makes each one findable by its state directory in the system's
 * own list from the instant it exists; a pid that is written down comes after, or not at all.
 * Windows makes such links for administrators only, and goes without.
 */
export const runtimeProgram = (stateDir: string): string => join(stateDir, "workerd");
