/** Splits thoughts from the start of a streamed text; `withThoughtsSplit` does it for a whole answer. */
import type { StreamPart } from "../domain/sampling/stream-parts.ts";

const opening = /^\s*<(think|thinking)>/;
const mayOpen = /^\s*(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?)?$/;

type TextPart = Extract<StreamPart, { type: "text" | "hidden" }>;

const textPart = (text: string): TextPart[] => (text === "" ? [] : [{ type: "text", text }]);
const hiddenPart = (text: string): TextPart[] => (text === "" ? [] : [{ type: "hidden", text }]);

export interface ThoughtSplitter {
  add(text: string): TextPart[];
  /** Thoughts without an end are text, unless the answer was cut within them. */
  end(isCut: boolean): TextPart[];
}

export const noThoughts: ThoughtSplitter = { add: textPart, end: () => [] };

export function createThoughtSplitter(): ThoughtSplitter {
  /** what has come and is neither text nor thought yet; null: the rest is text */
  let waiting: string | null = "";
  let closing: string | null = null;
  let thought = "";
  let isBetween = false;
  const afterThoughts = (text: string): TextPart[] => {
    const answer = isBetween ? text.trimStart() : text;
    isBetween &&= answer === "";
    return textPart(answer);
  };
  const withinThoughts = (text: string, tag: string): TextPart[] => {
    const end = text.indexOf(tag);
    // The tag may come in two pieces.
    const kept = end === -1 ? Math.min(text.length, tag.length - 1) : text.length - end;
    const hidden = text.slice(0, text.length - kept);
    thought += hidden;
    if (end === -1) {
      waiting = text.slice(hidden.length);
      return hiddenPart(hidden);
    }
    [waiting, closing, isBetween] = [null, null, true];
    return [...hiddenPart(hidden), ...afterThoughts(text.slice(end + tag.length))];
  };
  return {
    add(text) {
      if (waiting === null) return afterThoughts(text);
      const all = waiting + text;
      if (closing !== null) return withinThoughts(all, closing);
      const open = opening.exec(all);
      if (open !== null) {
        closing = `</${open[1]}>`;
        thought = open[0];
        return withinThoughts(all.slice(open[0].length), closing);
      }
      if (mayOpen.test(all)) {
        waiting = all;
        return [];
      }
      waiting = null;
      return textPart(all);
    },
    end(isCut) {
      const left = waiting ?? "";
      waiting = null;
      if (closing === null) return textPart(left);
      return isCut ? hiddenPart(left) : textPart(thought + left);
    },
  };
}
