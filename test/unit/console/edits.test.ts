/** An approver's edits change the edited text and nothing else of the call. */
import { describe, expect, it } from "vitest";
import { draftOf, editsOf, withText, type Shown } from "../../../src/console/approvals/edits.ts";

const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const asked: Shown = {
  model: "own/works",
  call: {
    systemPrompt: "Be brief.",
    messages: [
      { role: "user", content: [{ type: "text", text: "Hello" }, image] },
      { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
    ],
  },
};

describe("what a person edits of a held call", () => {
  it("is nothing where nothing was changed", () => {
    const draft = draftOf(asked);
    expect(editsOf(draft, draftOf(asked))).toBeNull();
  });

  it("is the whole prompt with the one text changed, and its image as it was", () => {
    const draft = draftOf(asked);
    const edited = withText(draft, { at: 0, block: 0, text: "Hi" });
    expect(editsOf(draft, edited)).toEqual({
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }, image] },
        { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
      ],
    });
    expect(editsOf(draft, { ...draft, model: "own/other", systemPrompt: "" })).toEqual({
      model: "own/other",
      systemPrompt: "",
    });
  });

  it("is no prompt that a tool's loop is a part of", () => {
    const content = [{ type: "tool_result" as const, toolUseId: "1", content: [] }];
    const draft = draftOf({ call: { messages: [{ role: "user", content }] } });
    expect(draft.messages).toBeNull();
    expect(editsOf(draft, { ...draft, model: "x/y" })).toEqual({ model: "x/y" });
  });

  it("is the text of a result, if that is all of the result", () => {
    const draft = draftOf({ content: [{ type: "text", text: "Yes" }] });
    expect(editsOf(draft, { ...draft, text: "No" })).toEqual({ text: "No" });
    expect(draftOf({ content: [image] }).text).toBeNull();
  });
});
