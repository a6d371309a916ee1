/** Comments to a client whose server is silent: often enough to notice that it has left, and never in an event. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { responseOf } from "../../../src/domain/ports/client-answer.ts";
import { openClientReply } from "../../../src/proxy/client-reply.ts";

const silentMs = 4_000;
const comment = ": keep-alive\n\n";

async function readAll(response: Response): Promise<string> {
  return new TextDecoder().decode(await response.arrayBuffer());
}

describe("comments to a client", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const opened = () => {
    const left = new AbortController().signal;
    const { reply, response } = openClientReply({ acceptsStream: true, left, owner: null });
    return { reply, text: response.then(responseOf).then(readAll) };
  };

  it("come when the server is silent", async () => {
    const { reply, text } = opened();
    reply.begin({});
    await reply.write("data: 1\n\n");
    await vi.advanceTimersByTimeAsync(silentMs);
    await reply.write("data: 2\n\n");
    reply.end();
    expect(await text).toBe(`data: 1\n\n${comment}data: 2\n\n`);
  });

  it("do not come within an event that has begun to pass", async () => {
    const { reply, text } = opened();
    let isBetweenEvents = false;
    reply.begin({}, () => isBetweenEvents);
    await reply.write("data: [1,");
    await vi.advanceTimersByTimeAsync(3 * silentMs);
    await reply.write("2]\n\n");
    isBetweenEvents = true;
    await vi.advanceTimersByTimeAsync(silentMs);
    reply.end();
    expect(await text).toBe(`data: [1,2]\n\n${comment}`);
  });
});
