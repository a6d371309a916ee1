/** The prompt of an image or speech model is the last user message with its context. */
import { describe, expect, it } from "vitest";
import type { Block, Message } from "../../../src/domain/sampling/call.ts";
import { briefingOf, settingsLeftOut } from "../../../src/providers/briefing.ts";
import { callOf } from "../../fixtures/providers/calls.ts";

const text = (value: string) => ({ type: "text" as const, text: value });
const image = (data: string) => ({ type: "image" as const, data, mimeType: "image/png" });
const user = (...content: Block[]): Message => ({ role: "user", content });
const assistant = (...content: Block[]): Message => ({ role: "assistant", content });

describe("a briefing", () => {
  it("is the last user message, with what was said before it", () => {
    const messages = [
      user(text("a"), text("b")),
      assistant(text("c"), { type: "tool_use", id: "1", name: "t", input: {} }),
      user({ type: "tool_result", toolUseId: "1", content: [text("d")] }),
      assistant(text(" ")),
      user(text(" e ")),
      assistant(text("f")),
    ];
    expect(briefingOf({ messages })).toEqual({
      text: "e",
      earlier: ["User: a\nb", "Assistant: c", "User: d"],
      images: [],
    });
  });

  it("is empty where no user said anything", () => {
    const nothing = { text: "", earlier: [], images: [] };
    expect(briefingOf({ messages: [] })).toEqual(nothing);
    expect(briefingOf({ messages: [assistant(text("a"))] })).toEqual(nothing);
  });

  it("shows the images of the last message that has some, inside a tool's result too", () => {
    const shown = (...messages: Message[]): string[] =>
      briefingOf({ messages }).images.map(({ data }) => data);
    expect(shown(user(image("1")), assistant(image("2"), image("3")), user(text("a")))).toEqual([
      "2",
      "3",
    ]);
    expect(
      shown(user(image("1")), user({ type: "tool_result", toolUseId: "1", content: [image("4")] })),
    ).toEqual(["4"]);
  });
});

describe("settings that only language models know", () => {
  it("are noted where they were given", () => {
    expect(settingsLeftOut(callOf())).toHaveLength(1);
    expect(settingsLeftOut(callOf({ temperature: 0, stopSequences: ["a"] }))).toHaveLength(3);
  });
});
