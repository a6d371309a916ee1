import type { Message } from "../sampling/call.ts";
import type { WireRules } from "./rules.ts";
import { shortHash } from "./short-hash.ts";

const prefix = "call_";

function freshId(text: string, length: number): string {
  return length <= prefix.length + 8
    ? shortHash(text, length)
    : prefix + shortHash(text, Math.min(20, length - prefix.length));
}

/** New ids depend only on the old id and position, so that repeated prefixes stay cacheable. */
export function withFitIds(
  messages: readonly Message[],
  { toolId, toolIdLength }: Pick<WireRules, "toolId" | "toolIdLength">,
): { messages: Message[]; changed: boolean } {
  const seen = new Set<string>();
  let open = new Map<string, string>();
  let changed = false;
  const fitId = (id: string, place: string): string => {
    let fit = id;
    for (let salt = 0; !toolId.test(fit) || seen.has(fit); salt += 1)
      fit = freshId(`${place} ${salt} ${id}`, toolIdLength);
    seen.add(fit);
    changed ||= fit !== id;
    return fit;
  };
  const fitted = messages.map((message, at): Message => {
    if (message.role === "assistant") open = new Map();
    const content = message.content.map((block, place) => {
      if (block.type === "tool_use") {
        const id = fitId(block.id, `${at}.${place}`);
        open.set(block.id, id);
        return id === block.id ? block : { ...block, id };
      }
      if (block.type !== "tool_result") return block;
      const toolUseId = open.get(block.toolUseId) ?? block.toolUseId;
      return toolUseId === block.toolUseId ? block : { ...block, toolUseId };
    });
    return { ...message, content };
  });
  return { messages: changed ? fitted : [...messages], changed };
}
