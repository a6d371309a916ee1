/** Text without control characters: a database may truncate at NUL. No flags, because OpenAPI patterns have none. */
export const oneLine = /^[\x20-\x7E\xA0-\uFFFF]*$/;
