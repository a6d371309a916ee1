export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** undefined: invalid JSON. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads an own property, so that `__proto__` in foreign JSON never reaches a prototype. */
export const own = (object: unknown, key: string): JsonValue | undefined =>
  isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
