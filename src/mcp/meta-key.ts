/** Keys of a `_meta`. */

/** The prefix of the protocol's own members of `_meta`. */
export const metaPrefix = "io.modelcontextprotocol/";

export const metaKey = (name: string): string => metaPrefix + name;
