/** A text without control characters: no NUL, at which a database may end a text, and no end of a line. */
export const oneLine = /^\P{Cc}*$/u;
