import { describe, expect, it } from "vitest";
import { boundedFetch } from "../../../src/providers/bounded.ts";
import { faultOf } from "../../../src/providers/faults.ts";
import { maxMediaBytes } from "../../../src/providers/media.ts";

const baseUrl = "https://provider.example/v1";
const kindOf = (thrown: unknown) =>
  faultOf(thrown, { signal: new AbortController().signal, now: 0 });
const tooLarge = { kind: "malformed", retryable: false, billed: "maybe" };

const answering =
  (response: () => Response): typeof fetch =>
  async () =>
    response();

describe("a bounded fetch", () => {
  it("stops reading an answer that doesn't end", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = new Uint8Array(64 * 1024);
        sent += piece.byteLength;
        controller.enqueue(piece);
      },
    });
    const bounded = boundedFetch(
      answering(() => new Response(endless)),
      baseUrl,
    );
    const response = await bounded(`${baseUrl}/images/generations`);
    const thrown: unknown = await response.arrayBuffer().catch((error: unknown) => error);
    expect(kindOf(thrown)).toMatchObject(tooLarge);
    // As base64, with some room for the rest of the JSON.
    expect(sent).toBeGreaterThan((maxMediaBytes / 3) * 4);
    expect(sent).toBeLessThan(maxMediaBytes * 1.5);
  });

  it("doesn't begin to read one that says how long it is", async () => {
    let cancelled = false;
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    const headers = { "content-length": String(maxMediaBytes * 2) };
    const bounded = boundedFetch(
      answering(() => new Response(body, { headers })),
      baseUrl,
    );
    const thrown: unknown = await bounded(baseUrl).catch((error: unknown) => error);
    expect(kindOf(thrown)).toMatchObject(tooLarge);
    expect(cancelled).toBe(true);
  });

  it("changes nothing else about an answer", async () => {
    const headers = {
      "content-type": "text/plain",
      "retry-after": "7",
      "content-encoding": "gzip",
    };
    const bounded = boundedFetch(
      answering(() => new Response("slow down", { status: 429, headers })),
      baseUrl,
    );
    const response = await bounded(new Request(baseUrl));
    expect(response.status).toBe(429);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/plain",
      "retry-after": "7",
    });
    expect(await response.text()).toBe("slow down");
    const empty = boundedFetch(
      answering(() => new Response(null, { status: 204 })),
      baseUrl,
    );
    expect((await empty(baseUrl)).status).toBe(204);
  });

  it.each([
    "https://elsewhere.example/v1/a.png",
    "http://provider.example/v1",
    "https://provider.example:8443/",
  ])("goes nowhere else: %s", async (url) => {
    let called = false;
    const bounded = boundedFetch(
      answering(() => {
        called = true;
        return new Response("a");
      }),
      baseUrl,
    );
    const thrown: unknown = await bounded(url).catch((error: unknown) => error);
    expect(kindOf(thrown)).toMatchObject({ kind: "empty", retryable: true });
    expect(called).toBe(false);
  });
});
