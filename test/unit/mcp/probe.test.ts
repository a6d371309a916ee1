/** A check reads a bounded part of a server's stream, each event once. */
import { expect, it, vi } from "vitest";
import { serverCheckOf } from "../../../src/domain/servers/server-check.ts";
import { createProbe } from "../../../src/mcp/probe.ts";

const notice = 'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n';
const refused = 'data: {"jsonrpc":"2.0","id":1,\ndata: "error":{"code":-32001,"message":"no"}}';

/** What a server is found to be that answers every request with these pieces of an event stream. */
function probed(pieces: readonly string[]) {
  const fetch = async (): Promise<Response> => {
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      start(stream) {
        for (const piece of pieces) stream.enqueue(encoder.encode(piece));
        stream.close();
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  return createProbe({ fetch, allowPrivate: true, ownOrigins: [] })("http://server.test/mcp", {});
}

const isRefused = { kind: "rpc_error", status: 200, code: -32_001 };

it.each([
  ["in one piece", [`${notice}${refused}\n\n${notice}`]],
  ["in pieces of one character", [...`${notice}${refused}\n\n`]],
  ["with line ends of two characters", [...`${notice}${refused}\n\n`.replaceAll("\n", "\r\n")]],
  ["at its end, without an empty line", [notice, refused]],
])("a check finds the answer in an event stream %s", async (_, pieces) => {
  expect(await probed(pieces)).toEqual(isRefused);
});

it.each([
  [{ supported: ["2027-06-18"] }, ["2027-06-18"]],
  [{ supported: ["2026-07-28"] }, []],
])("a check finds a modern server that refuses server/discover: %j", async (data, newer) => {
  const error = { code: -32_022, message: "no", data };
  const found = await probed([`data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, error })}\n\n`]);
  expect(found).toEqual({ kind: "undiscovered", status: 200, newer });
  expect(serverCheckOf(found)).toMatchObject({
    ok: false,
    era: "modern",
    detail: expect.stringContaining(
      newer.length === 0 ? "refuses server/discover" : "newer than this router: 2027-06-18",
    ) as string,
  });
});

it("a check finds no answer behind four mebibytes of other events", async () => {
  const many = `data: ${"x".repeat(1_100_000)}\n\n`;
  expect(await probed([many, many, many, many, `${refused}\n\n`])).toMatchObject({ kind: "other" });
});

it("a check reads each event of a stream once, however many pieces the stream comes in", async () => {
  const parse = vi.spyOn(JSON, "parse");
  try {
    await probed(Array.from({ length: 100 }, () => notice));
    const events = parse.mock.calls.filter(([text]) => text.includes("notifications/message"));
    // Of two requests: one for each era.
    expect(events).toHaveLength(200);
  } finally {
    parse.mockRestore();
  }
});
