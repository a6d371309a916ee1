/** A conversation as one text, for image and speech models. */
import type {
  Block,
  ImageBlock,
  Message,
  ResourceBlock,
  SamplingCall,
} from "../domain/sampling/call.ts";

export interface Briefing {
  /** of the last user message, or empty */
  text: string;
  /** one line per turn */
  earlier: string[];
  /** of the last message with images, so that "make it blue" refers to what was drawn */
  images: ImageBlock[];
}

function textsOf(blocks: readonly (Block | ResourceBlock)[]): string[] {
  return blocks.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "tool_result" ? textsOf(block.content) : [];
  });
}

const imagesOf = (blocks: readonly (Block | ResourceBlock)[]): ImageBlock[] =>
  blocks.flatMap((block) => {
    if (block.type === "image") return [block];
    return block.type === "tool_result" ? imagesOf(block.content) : [];
  });

const lineOf = ({ role, content }: Message): string[] => {
  const text = textsOf(content).join("\n").trim();
  return text === "" ? [] : [`${role === "user" ? "User" : "Assistant"}: ${text}`];
};

export function briefingOf({ messages }: Pick<SamplingCall, "messages">): Briefing {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const shown = messages.findLast(({ content }) => imagesOf(content).length > 0);
  return {
    text: textsOf(messages[last]?.content ?? [])
      .join("\n")
      .trim(),
    earlier: messages.slice(0, Math.max(0, last)).flatMap(lineOf),
    images: shown === undefined ? [] : imagesOf(shown.content),
  };
}

/** Notes on settings that only language models have. */
export function settingsLeftOut(call: SamplingCall): string[] {
  const notes = ["maxTokens left out: it counts text, and this model writes none"];
  if (call.temperature !== undefined)
    notes.push("temperature left out: this model does not take it");
  if (call.stopSequences.length > 0)
    notes.push("stopSequences left out: this model does not take them");
  return notes;
}
