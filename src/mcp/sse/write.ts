/** One line per line of text. */
export const sseDataLines = (text: string): string =>
  text
    .split(/\r\n|\n|\r/)
    .map((line) => `data: ${line}\n`)
    .join("");

export const sseMessageText = (text: string): string => `event: message\n${sseDataLines(text)}\n`;

export const sseMessage = (message: unknown): string => sseMessageText(JSON.stringify(message));

/** Keeps connections open and detects disconnects. */
export const sseKeepAlive = ": keep-alive\n\n";
