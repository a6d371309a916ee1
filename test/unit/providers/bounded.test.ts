/** Answers of providers are read up to a bound. */
import { describe, expect, it } from "vitest";
import {
  boundedFetch,
  boundedMediaFetch,
  maxAnswerBytes,
  maxErrorBytes,
  readOutsideSlot,
} from "../../../src/providers/bounded.ts";
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

/** Gives pieces without end, and counts what was taken. */
function endless() {
  const seen = { sent: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = new Uint8Array(64 * 1024).fill(32);
      seen.sent += piece.byteLength;
      controller.enqueue(piece);
    },
    cancel: () => void (seen.cancelled = true),
  });
  return { body, seen };
}

describe("an answer of text", () => {
  it("is read up to 4 MiB, whatever it says of its length, and ended there", async () => {
    const { body, seen } = endless();
    // A body whose coding was undone is longer than what was sent.
    const headers = { "content-encoding": "gzip", "content-length": "300000" };
    const bounded = boundedFetch(
      answering(() => new Response(body, { headers })),
      "text",
    );
    const response = await bounded(`${baseUrl}/chat/completions`);
    const thrown: unknown = await response.text().catch((error: unknown) => error);
    expect(kindOf(thrown)).toMatchObject({
      kind: "malformed",
      code: "response_too_large",
      status: 200,
      reach: "endpoint",
      retryable: true,
      billed: "maybe",
    });
    expect(seen.cancelled).toBe(true);
    expect(seen.sent).toBeLessThan(maxAnswerBytes.text * 1.1);
  });

  it("is cut where it is an error, and keeps its status", async () => {
    const { body, seen } = endless();
    const bounded = boundedFetch(
      answering(() => new Response(body, { status: 503 })),
      "text",
    );
    const response = await bounded(baseUrl);
    expect(response.status).toBe(503);
    expect((await response.arrayBuffer()).byteLength).toBe(maxErrorBytes);
    expect(seen.cancelled).toBe(true);
  });

  it("is handed on as it is where its declared length fits", async () => {
    const whole = new Response("fine", { headers: { "content-length": "4" } });
    expect(
      await boundedFetch(
        answering(() => whole),
        "text",
      )(baseUrl),
    ).toBe(whole);
  });
});

describe("a bounded fetch of media", () => {
  it("stops reading an answer that doesn't end", async () => {
    let sent = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = new Uint8Array(64 * 1024);
        sent += piece.byteLength;
        controller.enqueue(piece);
      },
    });
    const bounded = boundedMediaFetch(
      answering(() => new Response(source)),
      baseUrl,
    );
    const response = await bounded(`${baseUrl}/images/generations`);
    const thrown: unknown = await response.arrayBuffer().catch((error: unknown) => error);
    expect(kindOf(thrown)).toMatchObject(tooLarge);
    // As base64, with some room for the rest of the JSON.
    expect(sent).toBeGreaterThan((maxMediaBytes / 3) * 4);
    expect(sent).toBeLessThan(maxMediaBytes * 1.5);
  });

  it("doesn't begin to read an answer that declares a length over the bound", async () => {
    let cancelled = false;
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    const headers = { "content-length": String(maxMediaBytes * 2) };
    const bounded = boundedMediaFetch(
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
    const bounded = boundedMediaFetch(
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
    const empty = boundedMediaFetch(
      answering(() => new Response(null, { status: 204 })),
      baseUrl,
    );
    expect((await empty(baseUrl)).status).toBe(204);
  });

  it.each([
    "https://elsewhere.example/v1/a.png",
    "http://provider.example/v1",
    "https://provider.example:8443/",
  ])("sends no request to another origin: %s", async (url) => {
    let called = false;
    const bounded = boundedMediaFetch(
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

describe("an answer that is read out of turn", () => {
  const body = (pieces: number) =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let count = 0; count < pieces; count += 1)
          controller.enqueue(new Uint8Array(64 * 1024).fill(65 + count));
        controller.close();
      },
    });

  it("is whole when the turn begins again, and gives way after each 128 KiB of a long one", async () => {
    const seen: string[] = [];
    const read = readOutsideSlot(
      answering(() => new Response(body(6), { status: 201, headers: { "X-Kept": "yes" } })),
      async (wait) => {
        seen.push("outside");
        const waited = await wait(async () => void seen.push("gave way"));
        seen.push("in turn");
        return waited;
      },
    );
    const response = await read(baseUrl);
    expect(seen).toEqual(["outside", "gave way", "gave way", "in turn"]);
    expect([response.status, response.headers.get("x-kept")]).toEqual([201, "yes"]);
    const text = await response.text();
    expect([text.length, text.at(0), text.at(-1)]).toEqual([6 * 64 * 1024, "A", "F"]);
  });

  it("gives way never for a short one, and takes a status that has no body", async () => {
    let ways = 0;
    const outside = <T>(wait: (yieldSlot: () => Promise<void>) => Promise<T>) =>
      wait(async () => void (ways += 1));
    const short = await readOutsideSlot(
      answering(() => new Response(body(2))),
      outside,
    )(baseUrl);
    const empty = await readOutsideSlot(
      answering(() => new Response(null, { status: 204 })),
      outside,
    )(baseUrl);
    expect([(await short.text()).length, empty.status, ways]).toEqual([128 * 1024, 204, 0]);
  });
});
