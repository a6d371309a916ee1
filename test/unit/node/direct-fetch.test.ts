/** The direct client on Node reports connection faults and follows the reader's pace. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOutgoing } from "../../../src/node/outgoing.ts";
import {
  coded,
  commonWays,
  startFetchedServer,
  type FetchedServer,
  type Way,
} from "../../fakes/fetched-server.ts";

const ways: Record<string, Way> = {
  ...commonWays,
  "/pieces": (_, response) => {
    response.write("one ");
    setTimeout(() => response.end("two"), 20);
  },
  "/br": coded("br", brotliCompressSync),
  "/deflate": coded("deflate", deflateSync),
  "/deflate-raw": coded("deflate", deflateRawSync),
  "/both": coded("gzip, br", (bytes) => brotliCompressSync(gzipSync(bytes))),
  "/unknown-coding": coded("rot13", (bytes) => bytes),
  "/six-codings": coded("gzip, gzip, gzip, gzip, gzip, gzip", gzipSync),
  "/not-gzip": coded("gzip", (bytes) => bytes),
  "/elsewhere": (_, response) => void response.writeHead(302, { Location: "/echo" }).end("go"),
  "/error": (_, response) => void response.writeHead(503, { "Retry-After": "3" }).end("down"),
  "/hints": (_, response) => {
    response.writeEarlyHints({ link: "</a>; rel=preload" });
    response.end("hinted");
  },
  "/upgrade": ({ socket }) =>
    void socket.end(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ),
  "/never": () => {},
  "/begins": (_, response) => void response.writeHead(200).write("first"),
};

const outgoing = createOutgoing();
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

const init = (signal = new AbortController().signal) => ({
  method: "POST",
  redirect: "manual" as const,
  headers: { "Content-Type": "application/json", Authorization: "Bearer key" },
  body: JSON.stringify({ text: "é".repeat(10) }),
  signal,
});

const namesOf = (thrown: unknown): unknown => {
  if (!(thrown instanceof Error || thrown instanceof DOMException)) return thrown;
  const { name, message, cause } = thrown;
  const code = cause !== null && typeof cause === "object" && "code" in cause ? cause.code : null;
  return { name, message, code };
};

const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
};

/** All that a caller can see of an answer. */
async function seenOf(
  send: typeof fetch,
  url: string,
  {
    signal,
    ...given
  }: Partial<ReturnType<typeof init>> | { body: Uint8Array<ArrayBuffer>; signal?: never } = {},
) {
  try {
    const { ok, status, statusText, headers, body } = await send(url, {
      ...init(signal),
      ...given,
    });
    const { date: _, ...rest } = Object.fromEntries(headers);
    const seen = { ok, status, statusText, headers: rest };
    try {
      const text = body === null ? null : await textOf(body as never);
      return { ...seen, text };
    } catch (thrown) {
      return { ...seen, broke: namesOf(thrown) };
    }
  } catch (thrown) {
    return { thrown: namesOf(thrown) };
  }
}

describe("a short question", () => {
  it.for(Object.keys(ways).filter((path) => !["/never", "/begins"].includes(path)))(
    "is sent and answered as fetch does it: %s",
    async (path) => {
      const [direct, usual] = [
        await seenOf(outgoing.fetchShort, origin + path),
        await seenOf(outgoing.fetch, origin + path),
      ];
      expect(direct).toEqual(usual);
    },
  );

  it.for(["/echo", "/headers", "/error"])("sends bytes as it sends a text: %s", async (path) => {
    const body = new TextEncoder().encode(`_${init().body}`).subarray(1);
    const asText = await seenOf(outgoing.fetchShort, origin + path);
    expect(await seenOf(outgoing.fetchShort, origin + path, { body })).toEqual(asText);
    expect(await seenOf(outgoing.fetch, origin + path, { body })).toEqual(asText);
  });

  it("says why nobody could be reached", async () => {
    const nowhere = "http://127.0.0.1:10081/";
    const direct = await seenOf(outgoing.fetchShort, nowhere);
    expect(direct).toMatchObject({ thrown: { message: "fetch failed", code: "ECONNREFUSED" } });
    expect(direct).toEqual(await seenOf(outgoing.fetch, nowhere));
  });

  it.for(["/never", "/begins"])(
    "ends when its caller does, and so does its connection: %s",
    async (path) => {
      for (const send of [outgoing.fetchShort, outgoing.fetch]) {
        const before = server.left();
        const ending = new AbortController();
        const reason = new DOMException("Too late.", "TimeoutError");
        setTimeout(() => ending.abort(reason), 30);
        const seen = await seenOf(send, origin + path, { signal: ending.signal });
        expect(JSON.stringify(seen)).toContain('"name":"TimeoutError","message":"Too late."');
        await expect.poll(server.left).toBe(before + 1);
        expect(await seenOf(send, `${origin}/echo`, { signal: ending.signal })).toMatchObject({
          thrown: { name: "TimeoutError" },
        });
      }
    },
  );

  it("ends the connection of an answer that nobody reads on", async () => {
    const before = server.left();
    const { body } = await outgoing.fetchShort(`${origin}/begins`, init());
    const reader = body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first");
    await reader?.cancel();
    expect(await reader?.read()).toMatchObject({ done: true });
    await expect.poll(server.left).toBe(before + 1);
  });

  it("holds up an answer that is read slowly", async () => {
    const { body } = await outgoing.fetchShort(`${origin}/long`, init());
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await textOf(body as never)).length).toBe(3_000_000);
  });

  it("leaves to fetch what fetch judges: ports, credentials in the URL, other methods", async () => {
    for (const url of ["http://127.0.0.1:25/", `http://a:b@${origin.slice(7)}/echo`])
      expect(await seenOf(outgoing.fetchShort, url)).toEqual(await seenOf(outgoing.fetch, url));
    const got = await outgoing.fetchShort(`${origin}/headers`, { method: "GET" });
    expect(await got.json()).toMatchObject({ method: "GET" });
  });
});
