/** Brings roles into the order that a wire accepts. */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { WireRules } from "../domain/wires/rules.ts";

const text = (value: string) => ({ type: "text" as const, text: value });
const firstWord: LanguageModelV4Message = { role: "user", content: [text("Begin.")] };
const between: LanguageModelV4Message = { role: "assistant", content: [text("Understood.")] };

function joined(
  one: LanguageModelV4Message,
  other: LanguageModelV4Message,
): LanguageModelV4Message | null {
  if (one.role === "user" && other.role === "user")
    return { ...one, content: [...one.content, ...other.content] };
  if (one.role === "assistant" && other.role === "assistant")
    return { ...one, content: [...one.content, ...other.content] };
  return null;
}

export function inOrder(
  prompt: LanguageModelV4Prompt,
  rules: Pick<WireRules, "assistantFirst" | "sameRoleTwice" | "userAfterTool">,
): { prompt: LanguageModelV4Prompt; notes: string[] } {
  const notes = new Set<string>();
  const ordered: LanguageModelV4Prompt = [];
  for (const message of prompt) {
    const last = ordered.at(-1);
    const isFirst = last === undefined || last.role === "system";
    if (isFirst && message.role === "assistant" && !rules.assistantFirst) {
      notes.add("messages: a user's word put first, since this model wants one");
      ordered.push(firstWord);
    }
    if (message.role === "user" && last?.role === "tool" && !rules.userAfterTool) {
      notes.add("messages: the assistant's word put between a tool's result and the user");
      ordered.push(between);
    }
    const both =
      last === undefined || rules.sameRoleTwice || last !== ordered.at(-1)
        ? null
        : joined(last, message);
    if (both === null) ordered.push(message);
    else {
      notes.add("messages: messages of one role joined");
      ordered[ordered.length - 1] = both;
    }
  }
  return { prompt: ordered, notes: [...notes] };
}
