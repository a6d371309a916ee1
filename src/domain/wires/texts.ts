import type { JsonValue } from "../json.ts";
import type { Block, Message } from "../sampling/call.ts";
import type { WireRules } from "./rules.ts";

/** Replaces lone surrogates with U+FFFD. Returns the same value if unchanged. */
export const wellFormed = <Value>(value: Value): Value =>
  isWellFormed(value as JsonValue) ? value : (repaired(value as JsonValue) as Value);

/** base64 is long and has no surrogates. */
const isBase64 = (key: string, member: JsonValue): boolean =>
  key === "data" && typeof member === "string";

function isWellFormed(value: JsonValue): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const key in value) {
    const member = value[key] ?? null;
    if (!key.isWellFormed() || !(isBase64(key, member) || isWellFormed(member))) return false;
  }
  return true;
}

function repaired(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(repaired);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.toWellFormed(),
      isBase64(key, member) ? member : repaired(member),
    ]),
  );
}

export function isTaken(text: string, rule: WireRules["text"]): boolean {
  if (rule === "blank") return true;
  return rule === "full" ? text !== "" : text.trim() !== "";
}

const noText = "(no text)";
const noMessage = "The tool failed and gave no message.";

const isBlankText = (block: Block): boolean => block.type === "text" && block.text.trim() === "";

function fitBlock(block: Block, { emptyErrors }: Pick<WireRules, "emptyErrors">): Block {
  if (block.type !== "tool_result" || block.isError !== true || emptyErrors) return block;
  const isSaid =
    block.content.length === 0
      ? block.structuredContent !== undefined
      : block.content.some((item) =>
          item.type === "text" ? item.text.trim() !== "" : "raw" in item,
        );
  return isSaid
    ? block
    : { ...block, content: [...block.content, { type: "text", text: noMessage }] };
}

/** The model continues this text. */
function withoutTrailingBlanks(message: Message): Message {
  const last = message.content.at(-1);
  if (message.role !== "assistant" || last?.type !== "text") return message;
  const text = last.text.trimEnd();
  return text === last.text
    ? message
    : { ...message, content: [...message.content.slice(0, -1), { type: "text", text }] };
}

/** Drops empty assistant messages at the end, which ask for nothing; a last user message stays. */
export function withFitTexts(
  messages: readonly Message[],
  rules: Pick<WireRules, "text" | "emptyErrors">,
): { messages: Message[]; notes: string[] } {
  const notes = new Set<string>();
  let end = messages.length;
  while (end > 0 && messages[end - 1]?.role === "assistant") {
    if (messages[end - 1]?.content.every(isBlankText) !== true) break;
    end -= 1;
    notes.add("messages: an empty turn of the assistant left out");
  }
  const isFit = (block: Block): boolean => block.type === "text" && isTaken(block.text, rules.text);
  const fit = messages.slice(0, end).flatMap((message, at): Message[] => {
    if (message.content.length > 0 && message.content.every(isFit)) return [message];
    const kept = message.content.filter(
      (block) => block.type !== "text" || isTaken(block.text, rules.text),
    );
    if (kept.length < message.content.length) notes.add("messages: blank text left out");
    const content = kept.map((block) => fitBlock(block, rules));
    if (content.some((block, place) => block !== kept[place]))
      notes.add("messages: a failed tool result without content got a sentence");
    if (content.length > 0) return [{ ...message, content }];
    if (rules.text === "blank" && message.content.length > 0) return [message];
    const isLastWord = at === end - 1 && message.role === "user";
    return isLastWord ? [{ role: "user", content: [{ type: "text", text: noText }] }] : [];
  });
  const last = fit.at(-1);
  if (last === undefined)
    return {
      messages: [{ role: "user", content: [{ type: "text", text: noText }] }],
      notes: [...notes],
    };
  const trimmed = rules.text === "filled" ? withoutTrailingBlanks(last) : last;
  if (trimmed !== last) {
    notes.add("messages: blanks at the end of the assistant's text left out");
    fit[fit.length - 1] = trimmed;
  }
  return { messages: fit, notes: [...notes] };
}
