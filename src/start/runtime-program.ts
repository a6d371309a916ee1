import { join } from "node:path";

/**
 * A link in the state directory as which the runtime is started: process lists then show whose it is, without a
 * pid file. On Windows only administrators can create links.
 */
export const runtimeProgram = (stateDir: string): string => join(stateDir, "workerd");
