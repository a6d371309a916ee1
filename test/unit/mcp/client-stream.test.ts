/** The one writer of event streams to clients. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createClientStream,
  readAheadBytes,
  type ClientStreamOptions,
} from "../../../src/mcp/sse/client-stream.ts";

const comment = ": keep-alive\n\n";
const second = 1_000;
const open = (options: Partial<ClientStreamOptions> = {}) => {
  const stream = createClientStream({ silentTicks: () => 2, ...options });
  return { stream, body: stream.open() };
};
const textOf = (body: ReadableStream): Promise<string> => new Response(body).text();
const full = "x".repeat(readAheadBytes);

describe("a client's stream", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("comments after so many silent seconds, and says the last word", async () => {
    const { stream, body } = open();
    await vi.advanceTimersByTimeAsync(second);
    void stream.write("data: 1\n\n");
    await vi.advanceTimersByTimeAsync(2 * second);
    stream.end("data: 2\n\n");
    expect(await textOf(body)).toBe(`data: 1\n\n${comment}data: 2\n\n`);
  });

  it("does not comment within an event", async () => {
    const { stream, body } = open({ mayComment: () => false });
    await vi.advanceTimersByTimeAsync(10 * second);
    stream.end();
    expect(await textOf(body)).toBe("");
  });

  it("does not comment where there is nothing to comment on yet", async () => {
    const stream = createClientStream({ silentTicks: () => 1, beforeComment: () => false });
    await vi.advanceTimersByTimeAsync(10 * second);
    const body = stream.open();
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
    expect((await reader.read()).value?.byteLength).toBe(readAheadBytes);
    await vi.advanceTimersByTimeAsync(0);
    expect(hasRoom).toBe(true);
    stream.end();
    expect((await reader.read()).done).toBe(true);
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
