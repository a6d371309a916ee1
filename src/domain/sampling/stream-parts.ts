import type { Usage } from "../usage.ts";
import type { Block } from "./call.ts";

export type Shows = "nothing" | "hidden" | "content";

export type StreamPart =
  /** The provider has begun, and no content has come yet. */
  | { type: "began" }
  /** Reasoning that the endpoint does not show. */
  | { type: "hidden"; text: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string }
  /** The next piece of the JSON text of a tool use's input. */
  | { type: "tool_input"; id: string; json: string }
  /** What the provider has counted of the input before its stream has ended. */
  | { type: "counted"; input: Pick<Usage, "inputTokens" | "classes"> }
  /** An unchanged event of a passed request. `text`: its content, for estimates. */
  | { type: "event"; bytes: Uint8Array<ArrayBuffer>; shows: Shows; text: string };

/** Resolves when the reader has room for the next part. The stream is not read on meanwhile. */
export type TakePart = (part: StreamPart) => Promise<void>;

export interface StreamReader {
  /**
   * Called once.
   * @param about `inputTokens`: as counted by the provider; null: not yet; `passes`: the parts are the
   * provider's own events, complete
   */
  begins(about: { model: string; inputTokens: number | null; passes: boolean }): void;
  take: TakePart;
}

/** Whether nothing of the answer has been given out while only such parts have come. */
export const isLifecycle = (part: StreamPart): boolean =>
  part.type === "began" ||
  part.type === "counted" ||
  (part.type === "event" && part.shows === "nothing");

/** The text that a part adds to the answer, as far as tokens are estimated from it. */
export function textOfPart(part: StreamPart): string {
  switch (part.type) {
    case "text":
    case "hidden":
    case "event":
      return part.text;
    case "tool_use":
      return part.name;
    case "tool_input":
      return part.json;
    default:
      return "";
  }
}

export function* partsOf(content: readonly Block[]): Generator<StreamPart> {
  for (const block of content) {
    if (block.type === "text") yield { type: "text", text: block.text };
    if (block.type !== "tool_use") continue;
    yield { type: "tool_use", id: block.id, name: block.name };
    yield { type: "tool_input", id: block.id, json: JSON.stringify(block.input) };
  }
}
