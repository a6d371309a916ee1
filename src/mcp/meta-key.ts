/** Keys of a `_meta`. */

/** How the protocol's own members of a `_meta` begin. */
export const metaPrefix = "io.modelcontextprotocol/";

export const metaKey = (name: string): string => metaPrefix + name;
