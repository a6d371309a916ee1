/** RFC 7396, section 2. */
import { isObject, own, type JsonObject, type JsonValue } from "./json.ts";

export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, JsonValue>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (isObject(value)) {
      const current = own(target, key);
      merged.set(key, mergePatch(isObject(current) ? current : {}, value));
    } else merged.set(key, value);
  }
  // `fromEntries` defines properties; assigning `__proto__` would set a prototype.
  return Object.fromEntries(merged);
}
