/** A registered server hears from this host what it would hear from `fetch`, and its answer reads the same. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UpstreamFetch, UpstreamRequest } from "../../../src/domain/ports/upstream.ts";
import { createOutgoing } from "../../../src/node/outgoing.ts";
import {
  commonWays,
  startFetchedServer,
  type FetchedServer,
  type Way,
} from "../../fakes/fetched-server.ts";

const ways: Record<string, Way> = {
  ...commonWays,
  "/stream?of=two": (_, response) => {
    response.setHeader("Content-Type", "text/event-stream");
    response.write("data: 1\n\n");
    setTimeout(() => response.end("data: 2\n\n"), 20);
  },
  "/elsewhere": (_, response) => void response.writeHead(307, { Location: "/echo" }).end("go"),
  "/error": (_, response) => void response.writeHead(503).end("down"),
};

const outgoing = createOutgoing();
const usual: UpstreamFetch = ({ url, ...request }) =>
  outgoing.fetch(url, { ...request, redirect: "manual" });
let server: FetchedServer;
let origin = "";

beforeAll(async () => {
  server = await startFetchedServer(ways);
  origin = server.origin;
});
afterAll(async () => {
  server.stop();
  await outgoing.close();
});

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : "?");

/** All that the proxy can see of an answer, read in parts or as a whole. */
async function seenOf(
  send: UpstreamFetch,
  path: string,
  request: Pick<UpstreamRequest, "method" | "headers" | "body">,
) {
  const signal = new AbortController().signal;
  const seen: Record<string, unknown>[] = [];
  for (const isWhole of [true, false])
    try {
      const answer = await send({ url: origin + path, ...request, signal });
      const headers: Record<string, string> = {};
      answer.headers.forEach((value, name) => void (headers[name] = value));
      const { date: _, ...rest } = headers;
      const read = async (): Promise<Buffer> => {
        if (isWhole) return Buffer.from(await answer.arrayBuffer());
        const parts: Uint8Array[] = [];
        for await (const part of answer.body ?? []) parts.push(part);
        return Buffer.concat(parts);
      };
      const text = await read().then(String, messageOf);
      const { status, ok } = answer;
      const type = answer.headers.get("Content-Type");
      seen.push({ status, ok, type, hasType: answer.headers.has("CONTENT-TYPE"), rest, text });
    } catch (thrown) {
      seen.push({ thrown: messageOf(thrown) });
    }
  return seen;
}

const headers = { "content-type": "application/json", accept: "text/event-stream", "x-own": "1" };
const bytes = new TextEncoder().encode('{"text":"é"}');

describe("a request to a registered server", () => {
  it.for(Object.keys(ways))("is sent and answered as fetch does it: %s", async (path) => {
    const request = { method: "POST", headers, body: bytes } as const;
    const direct = await seenOf(outgoing.fetchServer, path, request);
    expect(direct).toEqual(await seenOf(usual, path, request));
  });

  it.for([
    { method: "GET", headers: { accept: "text/event-stream" }, body: null },
    { method: "DELETE", headers: {}, body: null },
    { method: "POST", headers: {}, body: "a text without a media type" },
    { method: "POST", headers, body: "a text" },
    { method: "POST", headers, body: new Uint8Array(0) },
  ] as const)("sends the headers that fetch sends: %o", async (request) => {
    const direct = await seenOf(outgoing.fetchServer, "/headers", request);
    expect(direct[0]?.["status"]).toBe(200);
    expect(direct).toEqual(await seenOf(usual, "/headers", request));
  });

  it("leaves a port that fetch refuses to fetch", async () => {
    const request = { method: "POST", headers, body: bytes } as const;
    const signal = new AbortController().signal;
    const sent = outgoing.fetchServer({ url: "http://127.0.0.1:6000/", ...request, signal });
    await expect(sent).rejects.toMatchObject({ cause: { message: "bad port" } });
  });
});
