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

/** The patch that makes `after` of `before`. Undefined members and empty texts count as missing. */
export function mergePatchOf(before: object, after: object): JsonObject {
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(
    (key): [string, JsonValue][] => {
      const [old = "", now = ""] = [own(before, key), own(after, key)];
      if (now === "") return old === "" || old === null ? [] : [[key, null]];
      if (!isObject(old) || !isObject(now))
        return JSON.stringify(old) === JSON.stringify(now) ? [] : [[key, now]];
      const inner = mergePatchOf(old, now);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    },
  );
  return Object.fromEntries(changes);
}
