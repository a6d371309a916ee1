/** Server-sent events, as Streamable HTTP uses them. */

/** The lines of an event that carry this text, which may have several. */
export const sseDataLines = (text: string): string =>
  text
    .split(/\r\n|\n|\r/)
    .map((line) => `data: ${line}\n`)
    .join("");

/** An event that carries a message as JSON text. */
export const sseMessageText = (text: string): string => `event: message\n${sseDataLines(text)}\n`;

export const sseMessage = (message: unknown): string => sseMessageText(JSON.stringify(message));

/** A comment. It keeps connections open, and writing it tells the router that the other side has left. */
export const sseKeepAlive = ": keep-alive\n\n";
