/** Fetches from a libSQL server with a timeout. */

/** Like `fetch`; the signal also ends reading the body. */
export type AskServer = (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;

/**
 * Aborts after the timeout. Otherwise a request that a server never answers keeps its connection and blocks all
 * queued writes.
 */
export const askWithin =
  (ask: AskServer, ms: number): AskServer =>
  (request) =>
    ask(request, { signal: AbortSignal.timeout(ms) });
