/** Which class of cache writes a call can cause, so that its reservation holds the dearest one. */
import { isObject, own, type JsonValue } from "../json.ts";
import type { PromptCaching } from "./prompt-caching.ts";
import type { SamplingCall } from "./call.ts";
import { providerMetadataKey } from "./tool-loop.ts";

/** A caller's own mark: `metadata.anthropic.cacheControl`, or one that a tool use carries back. */
function ownMarksOf({ metadata, messages }: SamplingCall): JsonValue[] {
  const carried = messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_use" ? [own(own(block._meta, providerMetadataKey), "anthropic")] : [],
    ),
  );
  return [metadata["anthropic"], ...carried].flatMap((options) =>
    ["cacheControl", "cache_control"].flatMap((name) => {
      const mark = own(options, name);
      return isObject(mark) ? [mark] : [];
    }),
  );
}

/** undefined: five minutes, where the router marks. */
export function cacheWritesOf(
  call: SamplingCall,
  promptCaching: PromptCaching | undefined,
): "hour" | "none" | undefined {
  const marks = ownMarksOf(call);
  if (marks.some((mark) => own(mark, "ttl") === "1h")) return "hour";
  return promptCaching === "off" && marks.length === 0 ? "none" : undefined;
}
