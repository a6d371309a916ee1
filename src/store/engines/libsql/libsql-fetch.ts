export type AskServer = (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;

/** Otherwise a request that a server never answers keeps its connection and blocks all queued writes. */
export const askWithin =
  (ask: AskServer, ms: number): AskServer =>
  (request) =>
    ask(request, { signal: AbortSignal.timeout(ms) });
