/** The parts of a stream come in order, and the server is let go however the reading ends. */
import { expect, it, vi } from "vitest";
import { createEventSplitter } from "../../../src/mcp/sse/event-splitter.ts";
import { createSegments } from "../../../src/mcp/sse/segments.ts";

const encoder = new TextEncoder();

function given(...parts: (string | Error)[]) {
  const cancel = vi.fn(async () => {});
  const reader = {
    cancel,
    async read() {
      const part = parts.shift();
      if (part instanceof Error) throw part;
      return part === undefined
        ? ({ done: true, value: undefined } as const)
        : ({ done: false, value: encoder.encode(part) } as const);
    },
  };
  const splitter = createEventSplitter({
    maxEventBytes: 1_000,
    mayNeedRouter: () => false,
    surelyHarmless: () => false,
  });
  return { segments: createSegments(reader, splitter), cancel };
}

async function textOf(segments: ReturnType<typeof createSegments>): Promise<string> {
  let text = "";
  for await (const segment of segments)
    if (segment.kind === "bytes") text += new TextDecoder().decode(segment.bytes);
  return text;
}

it("come in order, with what stood behind the last event", async () => {
  const { segments, cancel } = given("data: 1\n\ndata: 2\n\nda", "ta: 3\n\nre", "st");
  expect(await textOf(segments)).toBe("data: 1\n\ndata: 2\n\ndata: 3\n\nrest");
  expect(cancel).toHaveBeenCalledOnce();
  expect(await segments.next()).toEqual({ done: true, value: undefined });
});

it("let the server go when the stream breaks off", async () => {
  const { segments, cancel } = given("data: 1\n\n", new Error("broke"));
  await expect(textOf(segments)).rejects.toThrow("broke");
  expect(cancel).toHaveBeenCalledOnce();
});

it("let the server go when nobody wants the rest", async () => {
  const { segments, cancel } = given("data: 1\n\ndata: 2\n\n", "data: 3\n\n");
  await segments.next();
  await segments.return();
  expect(cancel).toHaveBeenCalledOnce();
  expect(await segments.next()).toEqual({ done: true, value: undefined });
});
