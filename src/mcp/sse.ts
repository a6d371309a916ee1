/** Server-sent events, as Streamable HTTP uses them. */
export const sseMessage = (message: unknown): string =>
  `event: message\ndata: ${JSON.stringify(message)}\n\n`;

/** A comment: keeps connections open, and tells us when the other side has gone. */
export const sseKeepAlive = ": keep-alive\n\n";
