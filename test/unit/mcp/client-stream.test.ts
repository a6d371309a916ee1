/** The one writer of event streams to clients. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createClientStream,
  type ClientStreamOptions,
  type StreamOwner,
} from "../../../src/mcp/sse/client-stream.ts";

const comment = ": keep-alive\n\n";
const second = 1_000;
const open = (options: Partial<ClientStreamOptions> = {}) => {
  const stream = createClientStream({ silentTicks: () => 2, ...options });
  return { stream, body: stream.open().stream() };
};
const textOf = (body: ReadableStream): Promise<string> => new Response(body).text();
const full = "x".repeat(64 * 1024);

describe("a client's stream", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("comments after so many silent seconds, and says the last word", async () => {
    const { stream, body } = open();
    const text = textOf(body);
    await vi.advanceTimersByTimeAsync(second);
    void stream.write("data: 1\n\n");
    await vi.advanceTimersByTimeAsync(2 * second);
    stream.end("data: 2\n\n");
    expect(await text).toBe(`data: 1\n\n${comment}data: 2\n\n`);
  });

  it("does not comment within an event", async () => {
    const { stream, body } = open({ mayComment: () => false });
    await vi.advanceTimersByTimeAsync(10 * second);
    stream.end();
    expect(await textOf(body)).toBe("");
  });

  it.each(["a web stream", "a connection"])(
    "of %s is left without a word where the server's answer refuses to end",
    async (kind) => {
      const left = vi.fn(() => Promise.reject(new Error("it has failed already")));
      const stream = createClientStream({ silentTicks: () => 2, left });
      const body = stream.open();
      const sink = { write: () => true, end: () => {}, fail: () => {} };
      if (kind === "a web stream") await body.stream().cancel();
      // A rejection that nobody hears fails the run.
      else body.pipe(sink).cancel();
      await vi.advanceTimersByTimeAsync(second);
      expect([left.mock.calls.length, stream.isOver()]).toEqual([1, true]);
    },
  );

  const owned = () => {
    const told: string[] = [];
    let close: () => void = () => undefined;
    const owner: StreamOwner = {
      tick: (closes) => void (close = closes),
      ended: () => void told.push("ended"),
      left: () => void told.push("left"),
    };
    return { owner, told, close: () => close() };
  };

  it("tells its owner that it ended, and lets its owner close it", async () => {
    const { owner, told, close } = owned();
    const left = vi.fn<() => void>();
    const { stream, body } = open({ owner, left });
    void stream.write("data: 1\n\n");
    await vi.advanceTimersByTimeAsync(second);
    expect(told).toEqual([]);
    close();
    expect([told, stream.isOver()]).toEqual([["ended", "left"], true]);
    expect(left).toHaveBeenCalledOnce();
    expect(await textOf(body)).toBe("data: 1\n\n");
  });

  it("marks its body as owned", () => {
    const bodyOf = (owner: StreamOwner | null) =>
      createClientStream({ silentTicks: () => 1, owner }).open();
    expect(bodyOf(owned().owner).owned).toBe(true);
    expect(bodyOf(null).owned).toBeUndefined();
  });

  it("is written to between two lines of an event that stands still, where somebody owns it", async () => {
    const { stream, body } = open({ owner: owned().owner, mayComment: () => false });
    const reader = body.getReader();
    void stream.write("data: 1\n");
    await reader.read();
    const next = reader.read();
    await vi.advanceTimersByTimeAsync(4 * second);
    expect(new TextDecoder().decode((await next).value)).toBe(": keep-alive\n");
  });

  it("is given up where an event stands still within a line for half a minute", async () => {
    const { owner, told } = owned();
    const { stream, body } = open({ owner, mayComment: () => false });
    const reader = body.getReader();
    void stream.write("data: 1");
    await reader.read();
    await vi.advanceTimersByTimeAsync(29 * second);
    expect(told).toEqual([]);
    const next = reader.read();
    next.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(second);
    await expect(next).rejects.toThrow("has stalled");
    expect(told).toEqual(["ended", "left"]);
  });

  it("does not comment where there is nothing to comment on yet", async () => {
    const stream = createClientStream({ silentTicks: () => 1, beforeComment: () => false });
    await vi.advanceTimersByTimeAsync(10 * second);
    const body = stream.open().stream();
    stream.end();
    expect(await textOf(body)).toBe("");
  });

  it("waits for a client that reads slowly, and writes it no comments", async () => {
    const { stream, body } = open();
    let hasRoom = false;
    void stream.write(full).then(() => (hasRoom = true));
    await vi.advanceTimersByTimeAsync(10 * second);
    expect(hasRoom).toBe(false);
    const reader = body.getReader();
    expect((await reader.read()).value?.byteLength).toBe(full.length);
    const next = reader.read();
    await vi.advanceTimersByTimeAsync(0);
    expect(hasRoom).toBe(true);
    stream.end();
    expect((await next).done).toBe(true);
  });

  it("ends once when its client leaves, and lets no writer wait", async () => {
    const said: string[] = [];
    const { stream, body } = open({
      left: () => void said.push("left"),
      ended: () => void said.push("ended"),
    });
    const writing = stream.write(full);
    await body.cancel();
    await writing;
    await stream.write(full);
    stream.end("data: 1\n\n");
    expect(said).toEqual(["ended", "left"]);
    expect(stream.isOver()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("breaks off where it fails, and does not look complete", async () => {
    const { stream, body } = open();
    void stream.write("data: 1\n\n");
    stream.fail(new Error("cut"));
    await expect(textOf(body)).rejects.toThrow("cut");
    expect(vi.getTimerCount()).toBe(0);
  });
});
