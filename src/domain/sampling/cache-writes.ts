/** The most expensive class of cache writes that a call can cause, for its reservation. */
import { isObject, own, type JsonValue } from "../json.ts";
import type { PromptCaching } from "./prompt-caching.ts";
import type { SamplingCall } from "./call.ts";
import { providerMetadataKey } from "./tool-loop.ts";

/** Keys of `metadata` whose options apply to Claude. */
const namespaces = ["anthropic", "bedrock", "vertex"] as const;

function ownMarksOf({ metadata, messages }: SamplingCall): JsonValue[] {
  const carried = messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_use" ? [own(own(block._meta, providerMetadataKey), "anthropic")] : [],
    ),
  );
  return [...namespaces.map((name) => metadata[name]), ...carried].flatMap((options) =>
    ["cacheControl", "cache_control"].flatMap((name) => {
      const mark = own(options, name);
      return isObject(mark) ? [mark] : [];
    }),
  );
}

/** undefined: five minutes. */
export function cacheWritesOf(
  call: SamplingCall,
  promptCaching: PromptCaching | undefined,
): "hour" | "none" | undefined {
  if (call.passing?.cacheWrites !== undefined)
    return call.passing.cacheWrites === "hour" ? "hour" : undefined;
  const marks = ownMarksOf(call);
  if (marks.some((mark) => own(mark, "ttl") === "1h")) return "hour";
  return promptCaching === "off" && marks.length === 0 ? "none" : undefined;
}
