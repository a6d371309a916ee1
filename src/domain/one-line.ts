/**
 * A text without control characters: no NUL, at which a database may end a text, and no end of a line. Written without
 * flags, since the OpenAPI document has it as a pattern, which can't carry any.
 */
export const oneLine = /^[\x20-\x7E\xA0-\uFFFF]*$/;
