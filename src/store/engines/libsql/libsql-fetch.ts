export type FetchDatabase = (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;

/** Without a timeout, an unanswered request would block all queued writes. */
export const withTimeout =
  (fetch: FetchDatabase, ms: number): FetchDatabase =>
  (request) =>
    fetch(request, { signal: AbortSignal.timeout(ms) });
