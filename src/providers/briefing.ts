/** A conversation as one text, for models that take no conversation: image and speech models. */
import type {
  Block,
  ImageBlock,
  Message,
  ResourceBlock,
  SamplingCall,
} from "../domain/sampling/call.ts";

export interface Briefing {
  /** the text of the last user message; empty: that message has no text */
  text: string;
  /** the turns before that message, one line of text each */
  earlier: string[];
  /**
   * the images of the last message that has any, so that "make it blue" finds what was drawn before
   */
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

/** Settings of a call that only language models know, as notes for the caller. */
export function settingsLeftOut(call: SamplingCall): string[] {
  const notes = ["maxTokens left out: it counts text, and this model writes none"];
  if (call.temperature !== undefined)
    notes.push("temperature left out: this model does not take it");
  if (call.stopSequences.length > 0)
    notes.push("stopSequences left out: this model does not take them");
  return notes;
}
