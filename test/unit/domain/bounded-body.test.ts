/** A body is read up to its bound and canceled beyond it. */
import { describe, expect, it } from "vitest";
import { boundedStream, readBounded } from "../../../src/domain/bounded-body.ts";

const exceeded = () => new Error("too long");

/** A body of so many bytes: a byte stream as `fetch` gives it, or a plain stream. */
function bodyOf(bytes: number, kind: "byte stream" | "stream") {
  const state = { cancelled: false };
  let left = bytes;
  const next = (): Uint8Array<ArrayBuffer> => {
    const piece = new Uint8Array(Math.min(left, 1_000)).fill(97);
    left -= piece.byteLength;
    return piece;
  };
  const source = {
    pull(controller: ReadableStreamDefaultController | ReadableByteStreamController): void {
      if (left > 0) return controller.enqueue(next());
      controller.close();
      // A reader that brought its own buffer gets it back.
      if ("byobRequest" in controller) controller.byobRequest?.respond(0);
    },
    cancel: () => void (state.cancelled = true),
  };
  const body = (
    kind === "stream"
      ? new ReadableStream(source)
      : new ReadableStream({ ...source, type: "bytes" as const })
  ) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return { body, state };
}

describe.each(["byte stream", "stream"] as const)("a %s", (kind) => {
  it.each([0, 1, 999, 65_536, 65_537, 200_000])("of %i bytes that fits is whole", async (bytes) => {
    const read = await readBounded(bodyOf(bytes, kind).body, bytes);
    expect(read?.byteLength).toBe(bytes);
    const stream = boundedStream(bodyOf(bytes, kind).body, { maxBytes: bytes, exceeded });
    expect(await new Response(stream).text()).toBe("a".repeat(bytes));
  });

  it("that is longer than the bound is not read to its end", async () => {
    const { body, state } = bodyOf(300_000, kind);
    expect(await readBounded(body, 100_000)).toBeNull();
    expect(state.cancelled).toBe(true);
  });

  it("that is longer than the bound fails its reader, or is cut", async () => {
    const failing = bodyOf(300_000, kind);
    const failed = boundedStream(failing.body, { maxBytes: 100_000, exceeded });
    await expect(new Response(failed).text()).rejects.toThrow("too long");
    expect(failing.state.cancelled).toBe(true);
    const cutting = bodyOf(300_000, kind);
    const cut = boundedStream(cutting.body, { maxBytes: 100_000, exceeded: "cut" });
    expect(await new Response(cut).text()).toBe("a".repeat(100_000));
    expect(cutting.state.cancelled).toBe(true);
  });

  it("is read on after an empty piece", async () => {
    const pieces = ["", "a", "", "b"].map((text) => new TextEncoder().encode(text));
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    });
    const bounded = boundedStream(body, { maxBytes: 10, exceeded: "cut" });
    expect(await new Response(bounded).text()).toBe("ab");
  });

  it("is cancelled when its reader leaves", async () => {
    const { body, state } = bodyOf(300_000, kind);
    await boundedStream(body, { maxBytes: 100_000, exceeded }).cancel();
    expect(state.cancelled).toBe(true);
  });
});

it("a body that is in memory already is read to its end", async () => {
  const body = (bytes: number) => new Response("a".repeat(bytes)).body;
  expect((await readBounded(body(200_000), 200_000))?.byteLength).toBe(200_000);
  expect(await readBounded(body(300_000), 200_000)).toBeNull();
});
