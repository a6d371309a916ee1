/** The router's log, as a test reads it. */
import type { Router } from "./router.ts";

export const linesOf = (router: Pick<Router, "output">, event: string): Record<string, unknown>[] =>
  router
    .output()
    .split("\n")
    .filter((line) => line.startsWith(`{"event":"${event}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
