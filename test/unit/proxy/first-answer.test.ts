/** The first answer of a server, in however many parts it comes. */
import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../src/proxy/first-answer.ts";

const encoder = new TextEncoder();
const answer = { jsonrpc: "2.0", id: 1, result: {} };

function streamed(parts: readonly string[], type: string): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": type } });
}

async function read(parts: readonly string[], type: string) {
  const begun = await readAnswer(streamed(parts, type));
  if (!begun.ok) return begun.error;
  return { answer: begun.value.answer, text: await new Response(begun.value.body).text() };
}

describe("the first answer", () => {
  it("is found in JSON and in a stream, and nothing of either is lost", async () => {
    const text = JSON.stringify(answer);
    expect(await read([text.slice(0, 9), text.slice(9)], "application/json")).toEqual({
      answer,
      text,
    });
    const notice = 'data: {"jsonrpc":"2.0","method":"notifications/x"}\r\n\r\n';
    const parts = [
      `: hi\n\n${notice}data: ${text.slice(0, 9)}`,
      `${text.slice(9)}\n\nda`,
      "ta: x\n\n",
    ];
    expect(await read(parts, "text/event-stream; charset=utf-8")).toEqual({
      answer,
      text: parts.join(""),
    });
    expect(await read([`data: ${text}`], "text/event-stream")).toEqual({
      answer,
      text: `data: ${text}`,
    });
  });

  it("is found behind a byte order mark", async () => {
    const text = `\uFEFF${JSON.stringify(answer)}`;
    expect(await read([text], "application/json")).toMatchObject({ answer });
    expect(
      await read([`\uFEFFdata: ${JSON.stringify(answer)}\n\n`], "text/event-stream"),
    ).toMatchObject({ answer });
  });

  // Reading each part again with all parts before it would take minutes.
  it("may come in any number of parts", async () => {
    const parts = Array.from({ length: 25_000 }, () => `: ${"a".repeat(34)}\n\n`);
    const found = await read(
      [...parts, `data: ${JSON.stringify(answer)}\n\n`],
      "text/event-stream",
    );
    expect(found).toMatchObject({ answer });
  });

  it("is refused when it is too large", async () => {
    const parts = Array.from({ length: 20 }, () => `: ${"a".repeat(60_000)}\n\n`);
    expect(await read(parts, "text/event-stream")).toMatchObject({ reason: "server_failed" });
  });
});
