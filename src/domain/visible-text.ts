/**
 * What a stranger wrote, as a person sees it. Characters that show nothing, or that change the direction of what follows,
 * let one name look like another, or a page's own sentence read otherwise.
 */
const invisible = /[\p{C}\p{DI}\u2800]/gu;
const blanks = /[\p{Z}\s]+/gu;

export const visibleText = (text: string): string =>
  text.replaceAll(blanks, " ").replaceAll(invisible, "").trim();
