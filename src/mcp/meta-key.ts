export const metaPrefix = "io.modelcontextprotocol/";

export const metaKey = (name: string): string => metaPrefix + name;
