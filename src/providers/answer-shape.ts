import { isObject, type JsonObject, type JsonValue } from "../domain/json.ts";
import type { SamplingCall } from "../domain/sampling/call.ts";

/** Deeper schemas count as loose. */
const maxLevels = 32;

/**
 * Whether OpenAI takes a schema in its strict mode: no open objects, and no optional members.
 * Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrict(schema: JsonValue, level = 0): boolean {
  if (level > maxLevels) return false;
  if (Array.isArray(schema)) return schema.every((each) => isStrict(each, level + 1));
  if (!isObject(schema)) return true;
  const { type, properties, required, additionalProperties } = schema;
  if (isObject(properties) || type === "object") {
    if (additionalProperties !== false || !Array.isArray(required)) return false;
    if (!Object.keys(properties ?? {}).every((name) => required.includes(name))) return false;
  }
  return Object.values(schema).every((each) => isStrict(each, level + 1));
}

const singleToolUse: Readonly<Record<string, JsonObject>> = {
  "openai-chat": { parallelToolCalls: false },
  "openai-responses": { parallelToolCalls: false },
  "openai-compatible": { parallel_tool_calls: false },
  anthropic: { disableParallelToolUse: true },
};

export function shapeOptions(
  { schema, tools, singleToolUse: isSingle }: SamplingCall,
  library: string,
): JsonObject | null {
  const options = {
    ...(isSingle === true && tools.length > 0 && singleToolUse[library]),
    ...(schema !== undefined &&
      library.startsWith("openai") && { strictJsonSchema: isStrict(schema.schema) }),
  };
  return Object.keys(options).length === 0 ? null : options;
}
