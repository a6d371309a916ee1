import type { LanguageModelV4Content } from "@ai-sdk/provider";

const opening = /^\s*<(think|thinking)>/;

/** Splits thoughts from the start of the first text. Unterminated thoughts stay text. */
export function withThoughtsSplit(
  parts: readonly LanguageModelV4Content[],
  { isCut }: { isCut: boolean },
): LanguageModelV4Content[] {
  const at = parts.findIndex((part) => part.type === "text" && part.text.trim() !== "");
  const part = parts[at];
  if (part?.type !== "text") return [...parts];
  const open = opening.exec(part.text);
  if (open === null) return [...parts];
  const from = open[0].length;
  const closing = `</${open[1]}>`;
  const end = part.text.indexOf(closing, from);
  if (end === -1)
    // Cut within the thoughts.
    return isCut ? parts.with(at, { type: "reasoning", text: part.text.slice(from) }) : [...parts];
  const answer = part.text.slice(end + closing.length).trimStart();
  return [
    ...parts.slice(0, at),
    { type: "reasoning", text: part.text.slice(from, end) },
    { type: "text", text: answer },
    ...parts.slice(at + 1),
  ];
}
