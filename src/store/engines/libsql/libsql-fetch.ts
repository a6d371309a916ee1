/** How a libSQL server is asked, and for how long. */

/** As `fetch`: the signal ends the request, and reading the answer. */
export type AskServer = (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;

/**
 * Gives a request up after so many ms. Without an end, a request that a server leaves unanswered holds what it was
 * sent with: a place of the client's, a connection, the turn of all writes that wait.
 */
export const askWithin =
  (ask: AskServer, ms: number): AskServer =>
  (request) =>
    ask(request, { signal: AbortSignal.timeout(ms) });
