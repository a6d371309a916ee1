/** Comments to a client whose server is silent: often enough to notice that it has left, and never in an event. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openClientSide } from "../../../src/proxy/client-side.ts";

const silentMs = 4_000;
const comment = ": keep-alive\n\n";

async function readAll(response: Response): Promise<string> {
  return new TextDecoder().decode(await response.arrayBuffer());
}

describe("comments to a client", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const opened = () => openClientSide({ acceptsStream: true, left: new AbortController().signal });

  it("come when the server is silent", async () => {
    const { side, response } = opened();
    side.begin({});
    await side.write("data: 1\n\n");
    await vi.advanceTimersByTimeAsync(silentMs);
    await side.write("data: 2\n\n");
    side.end();
    expect(await readAll(await response)).toBe(`data: 1\n\n${comment}data: 2\n\n`);
  });

  it("do not come within an event that has begun to pass", async () => {
    const { side, response } = opened();
    let isBetweenEvents = false;
    side.begin({}, () => isBetweenEvents);
    await side.write("data: [1,");
    await vi.advanceTimersByTimeAsync(3 * silentMs);
    await side.write("2]\n\n");
    isBetweenEvents = true;
    await vi.advanceTimersByTimeAsync(silentMs);
    side.end();
    expect(await readAll(await response)).toBe(`data: [1,2]\n\n${comment}`);
  });
});
