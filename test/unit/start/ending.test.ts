/** An end runs all of its steps, and says which of them failed. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createEnding, endOnSignals } from "../../../src/start/ending.ts";

describe("the end of a process", () => {
  // The end has a time limit, which no test waits for.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  async function endedBy(steps: (() => void)[]): Promise<{ code: unknown; said: string[] }> {
    const ending = createEnding();
    for (const step of steps) ending.add(step);
    const said: string[] = [];
    let receive = (): void => {};
    const code = new Promise<unknown>((resolve) => {
      vi.spyOn(process, "exit").mockImplementation((given) => {
        resolve(given);
        return undefined as never;
      });
    });
    endOnSignals(ending, {
      say: (line) => void said.push(line),
      graceMs: () => 1_000_000,
      listen: (received) => void (receive = received),
    });
    receive();
    return { code: await code, said };
  }

  it("is 0 where every step succeeds", async () => {
    expect(await endedBy([() => {}])).toEqual({ code: 0, said: ["Ending."] });
  });

  it("runs the other steps where one fails, as on a read-only mount, and says why", async () => {
    const ran: string[] = [];
    const ended = await endedBy([
      () => void ran.push("first"),
      () => {
        throw new Error(", Unknown error: Read-only file system 'runtime.json'");
      },
      () => void ran.push("last"),
    ]);
    expect(ran).toEqual(["last", "first"]);
    expect(ended).toEqual({
      code: 1,
      said: ["Ending.", "Shutdown step failed: Read-only file system 'runtime.json'"],
    });
  });
});
