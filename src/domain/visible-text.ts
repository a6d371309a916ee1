/** Removes invisible and bidirectional characters, which could disguise a name or alter a page's text. */
const invisible = /[\p{C}\p{DI}\u2800]/gu;
const blanks = /[\p{Z}\s]+/gu;

export const visibleText = (text: string): string =>
  text.replaceAll(blanks, " ").replaceAll(invisible, "").trim();
