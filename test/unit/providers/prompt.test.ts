/** A sampling call becomes the prompt that the AI SDK takes. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, SamplingCall, ToolResultBlock } from "../../../src/domain/sampling/call.ts";
import { promptOf, toolsOf } from "../../../src/providers/prompt.ts";
import { callOf, png, saying, wav } from "../../fixtures/providers/calls.ts";

const inside = { inToolResults: true, inAssistantMessages: true };
const outside = { inToolResults: false, inAssistantMessages: false };
const image = { type: "image", data: png, mimeType: "image/png" } as const;
const file = (mediaType: string, data: string): object => ({
  type: "file",
  mediaType,
  data: { type: "data", data },
});

const withResult = (result: Partial<ToolResultBlock>): SamplingCall =>
  callOf({
    messages: [
      { role: "user", content: [{ type: "text", text: "look" }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "camera", input: { zoom: 2 } }],
      },
      { role: "user", content: [{ type: "tool_result", toolUseId: "t1", content: [], ...result }] },
    ],
  });

const outputIn = (call: SamplingCall, places = inside): unknown => {
  for (const message of promptOf(call, places))
    if (message.role === "tool")
      for (const part of message.content) if (part.type === "tool-result") return part.output;
  return undefined;
};

describe("promptOf", () => {
  it("turns system prompt, text, image and audio into parts", () => {
    const audio = { type: "audio", data: wav, mimeType: "audio/x-wav; codecs=1" } as const;
    const call = callOf({
      systemPrompt: "Be brief.",
      ...saying({ type: "text", text: "hi" }, image, audio),
    });
    expect(promptOf(call, outside)).toEqual([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [{ type: "text", text: "hi" }, file("image/png", png), file("audio/wav", wav)],
      },
    ]);
  });

  it("spells image/jpg as providers accept it", () => {
    const call = callOf(saying({ ...image, mimeType: "IMAGE/JPG" }));
    expect(promptOf(call, inside)).toEqual([{ role: "user", content: [file("image/jpeg", png)] }]);
  });

  it("leaves an empty system prompt out", () => {
    expect(promptOf(callOf({ systemPrompt: "" }), inside)[0]?.role).toBe("user");
  });

  it("names a result's tool after the tool use that the result answers", () => {
    const prompt = promptOf(withResult({ content: [{ type: "text", text: "a cat" }] }), inside);
    expect(prompt.slice(1)).toEqual([
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "t1", toolName: "camera", input: { zoom: 2 } }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "t1",
            toolName: "camera",
            output: { type: "text", value: "a cat" },
          },
        ],
      },
    ]);
  });

  it("uses structured content only where there is no other", () => {
    expect(outputIn(withResult({ structuredContent: { cats: 1 } }))).toEqual({
      type: "json",
      value: { cats: 1 },
    });
    const both = withResult({
      content: [{ type: "text", text: "one cat" }],
      structuredContent: { cats: 1 },
    });
    expect(outputIn(both)).toEqual({ type: "text", value: "one cat" });
  });

  it("marks the results of failed tools as errors", () => {
    const content = [{ type: "text" as const, text: "no film" }];
    expect(outputIn(withResult({ isError: true, content }))).toEqual({
      type: "error-text",
      value: "no film",
    });
    expect(outputIn(withResult({ isError: true, structuredContent: { code: 3 } }))).toEqual({
      type: "error-json",
      value: { code: 3 },
    });
  });

  it("turns resources into their text, else into JSON", () => {
    const link = { type: "resource_link", uri: "file:///a", name: "a" };
    const content: ToolResultBlock["content"] = [
      { type: "resource", raw: { type: "resource", resource: { uri: "file:///b", text: "bee" } } },
      { type: "resource_link", raw: link },
    ];
    expect(outputIn(withResult({ content }))).toEqual({
      type: "text",
      value: `bee\n${JSON.stringify(link)}`,
    });
  });

  it("keeps the image of a result inside it where the wire takes it there", () => {
    const content: ToolResultBlock["content"] = [image, { type: "text", text: "a cat" }];
    expect(outputIn(withResult({ content }))).toEqual({
      type: "content",
      value: [{ type: "text", text: "a cat" }, file("image/png", png)],
    });
  });

  it("sends the image of a result after it where the wire doesn't", () => {
    const prompt = promptOf(withResult({ content: [image] }), outside);
    expect(prompt.at(-2)).toMatchObject({
      role: "tool",
      content: [{ output: { type: "text", value: "The result is attached." } }],
    });
    expect(prompt.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "text", text: "Attached to the result of camera:" },
        file("image/png", png),
      ],
    });
  });

  it("never parts a tool use from its result, even with an image beside the use", () => {
    const call = withResult({ content: [image] });
    call.messages[1]?.content.unshift(image);
    const roles = promptOf(call, outside).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("carries every text and every medium of plain histories, wherever media may stand", () => {
    const block = fc.oneof(
      fc.record({ type: fc.constant("text" as const), text: fc.string() }),
      fc.record({
        type: fc.constant("image" as const),
        data: fc.base64String({ minLength: 4 }),
        mimeType: fc.constant("image/png"),
      }),
    );
    const message: fc.Arbitrary<Message> = fc.record({
      role: fc.constantFrom("user", "assistant"),
      content: fc.array(block, { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (messages, inAssistantMessages) => {
          const prompt = promptOf({ messages }, { inToolResults: false, inAssistantMessages });
          const sent: string[] = [];
          for (const { role, content } of prompt) {
            if (role === "system") continue;
            for (const part of content) {
              if (part.type === "text" && !part.text.startsWith("Attached to the assistant's"))
                sent.push(part.text);
              if (part.type === "file" && part.data.type === "data")
                sent.push(String(part.data.data));
            }
          }
          const asked = messages.flatMap(({ content }) =>
            content.map((item) =>
              item.type === "text" ? item.text : item.type === "image" ? item.data : "",
            ),
          );
          expect(sent.toSorted()).toEqual(asked.toSorted());
        },
      ),
    );
  });
});

describe("toolsOf", () => {
  const inputSchema = { type: "object", properties: { zoom: { type: "number" } } };

  it("offers nothing when no tool is offered", () => {
    expect(toolsOf(callOf({ toolChoice: "required" }))).toEqual({});
  });

  // cites: S-047
  it("offers function tools, and lets the model choose unless the request says otherwise", () => {
    const tools = [
      { name: "camera", description: "Looks.", inputSchema },
      { name: "b", inputSchema },
    ];
    expect(toolsOf(callOf({ tools }))).toEqual({
      tools: [
        { type: "function", name: "camera", description: "Looks.", inputSchema },
        { type: "function", name: "b", inputSchema },
      ],
      toolChoice: { type: "auto" },
    });
    for (const toolChoice of ["auto", "required", "none"] as const)
      expect(toolsOf(callOf({ tools, toolChoice })).toolChoice).toEqual({ type: toolChoice });
  });
});
