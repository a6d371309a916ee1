/** A history with tools is valid only as MCP defines it. */
import { describe, expect, it } from "vitest";
import { blocksOf, checkToolHistory, type Message } from "../../../src/domain/sampling/call.ts";

const text = { type: "text", text: "Hello." } as const;
const use = (id: string) => ({ type: "tool_use", id, name: "look", input: {} }) as const;
const result = (toolUseId: string): Message["content"][number] => ({
  type: "tool_result",
  toolUseId,
  content: [text],
});
const user = (...content: Message["content"]): Message => ({ role: "user", content });
const assistant = (...content: Message["content"]): Message => ({ role: "assistant", content });

const fine: Record<string, Message[]> = {
  "no message": [],
  "plain talk": [user(text), assistant(text), user(text)],
  "one tool use and its result": [user(text), assistant(use("a")), user(result("a"))],
  "text beside a tool use": [user(text), assistant(text, use("a")), user(result("a"))],
  "several uses, answered in another order": [
    assistant(use("a"), use("b"), use("c")),
    user(result("c"), result("a"), result("b")),
  ],
  "two rounds, with the same id again": [
    assistant(use("a")),
    user(result("a")),
    assistant(use("a")),
    user(result("a")),
    assistant(text),
  ],
  "an empty message": [user(), assistant()],
};

const wrong: [title: string, path: string, detail: RegExp, messages: Message[]][] = [
  [
    "a result in an assistant's message",
    "messages.0.content",
    /user message/,
    [assistant(result("a"))],
  ],
  ["a use in a user's message", "messages.0.content", /assistant message/, [user(use("a"))]],
  [
    "a result beside a text",
    "messages.1.content",
    /tool results only/,
    [assistant(use("a")), user(result("a"), text)],
  ],
  [
    "a use that is not answered at once",
    "messages.1.content",
    /"a" has no result/,
    [assistant(use("a")), user(text), user(result("a"))],
  ],
  [
    "a use that an assistant follows",
    "messages.1.content",
    /"a" has no result/,
    [assistant(use("a")), assistant(text)],
  ],
  [
    "a use that nothing follows",
    "messages.2",
    /"b" has no result/,
    [user(text), assistant(use("b"))],
  ],
  [
    "one of two uses answered",
    "messages.1.content",
    /"b" has no result/,
    [assistant(use("a"), use("b")), user(result("a"))],
  ],
  [
    "a result of no use",
    "messages.1.content",
    /"x" answers no tool use/,
    [assistant(use("a")), user(result("a"), result("x"))],
  ],
  ["a result out of nowhere", "messages.0.content", /"x" answers no tool use/, [user(result("x"))]],
  [
    "a result given twice",
    "messages.1.content",
    /"a" answers no tool use/,
    [assistant(use("a")), user(result("a"), result("a"))],
  ],
  [
    "a result of an earlier round",
    "messages.3.content",
    /"b" has no result/,
    [assistant(use("a")), user(result("a")), assistant(use("b")), user(result("a"))],
  ],
  [
    "two uses under one id",
    "messages.0.content",
    /share an id/,
    [assistant(use("a"), use("a")), user(result("a"))],
  ],
];

describe("a history with tools", () => {
  it.each(Object.entries(fine))("may hold %s", (_, messages) => {
    expect(checkToolHistory(messages)).toEqual({ ok: true, value: null });
  });

  it.each(wrong)("may not hold %s", (_, path, detail, messages) => {
    expect(checkToolHistory(messages)).toEqual({
      ok: false,
      error: {
        reason: "invalid_params",
        path,
        detail: expect.stringMatching(detail) as unknown,
      },
    });
  });
});

it("the blocks of a call are all of them, in order, those inside tool results too", () => {
  const messages = [user(text), assistant(use("a")), user(result("a"), result("b"))];
  expect([...blocksOf({ messages })].map(({ type }) => type)).toEqual([
    "text",
    "tool_use",
    "tool_result",
    "text",
    "tool_result",
    "text",
  ]);
});
