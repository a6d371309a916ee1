/** Capabilities as a person reads them. */
import { isObject } from "../domain/json.ts";

/** Such as `sampling (tools), elicitation`. `nothing` where none is there. */
export function capabilityWords(capabilities: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(capabilities).map(([name, value]) => {
    const parts = isObject(value) ? Object.keys(value).filter((part) => value[part] !== false) : [];
    return parts.length === 0 ? name : `${name} (${parts.join(", ")})`;
  });
  return words.length === 0 ? "nothing" : words.join(", ");
}
