/** Prefix of the protocol's members of `_meta`. */
export const metaPrefix = "io.modelcontextprotocol/";

export const metaKey = (name: string): string => metaPrefix + name;
