/** How a Workers runtime that was started on a state directory is found again. */
import { join } from "node:path";

/**
 * The path under which the runtime is started: a link in the state directory. The path is the first argument of
 * the process, so the system's own list of processes says from the first instant which state directory a
 * process has. A pid in a file comes later, or not at all. Windows makes such links for administrators only.
 */
export const runtimeProgram = (stateDir: string): string => join(stateDir, "workerd");
