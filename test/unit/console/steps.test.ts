/** The timeline of a request attributes each pause to the attempt that waited. */
import { describe, expect, it } from "vitest";
import { stepsOf, streamText, type Timed } from "../../../src/console/requests/steps.ts";

const timing = { auth: 1, choose: 2, approve: 0, admit: 3, provider: 220 };
const failed = { provider: "own", model: "large", latencyMs: 5, fault: "server" as const };
const answered = { provider: "own", model: "small", latencyMs: 65, fault: null };
const namesOf = (record: Timed) => stepsOf(record).map(({ name, from, ms }) => [name, from, ms]);

describe("the steps of a request", () => {
  it("have each pause before the attempt that waited, and no one else's time", () => {
    const attempts = [failed, { ...failed, waitedMs: 50 }, { ...answered, waitedMs: 95 }];
    expect(namesOf({ timing, totalMs: 228, attempts })).toEqual([
      ["check the key", 0, 1],
      ["choose a model", 1, 2],

      ["check limits", 3, 3],
      ["own/large", 6, 5],
      ["pause", 11, 50],
      ["own/large", 61, 5],
      ["pause", 66, 95],
      ["own/small", 161, 65],
      ["write the record", 226, 2],
    ]);
  });

  it("have no pause where none was recorded, and only what was timed", () => {
    expect(namesOf({ timing: null, totalMs: 80, attempts: [failed, answered] })).toEqual([
      ["own/large", 0, 5],
      ["own/small", 5, 65],
      ["write the record", 70, 10],
    ]);
    expect(namesOf({ timing, totalMs: 228, attempts: [failed, answered] }).slice(3)).toEqual([
      ["own/large", 6, 5],
      ["own/small", 11, 65],
      ["write the record", 226, 2],
    ]);
    expect(namesOf({ timing: null, totalMs: null, attempts: [] })).toEqual([]);
  });

  it("have the wait for the first token of a streamed answer, and then the stream", () => {
    const stream = { firstMs: 25, status: "complete" as const };
    const record = { timing: null, totalMs: null, attempts: [{ ...answered, stream }] };
    expect(namesOf(record)).toEqual([
      ["own/small: first token", 0, 25],
      ["own/small: stream", 25, 40],
    ]);
    const usage = { inputTokens: 1, outputTokens: 2, estimated: false };
    expect(streamText({ stream, latencyMs: 65, usage })).toBe(
      "complete, first token after 25 ms, 50 tokens/s",
    );
    const cut = { firstMs: null, status: "interrupted" as const, interruptedBy: "client" as const };
    expect(streamText({ stream: cut, latencyMs: 65 })).toBe("interrupted by the client, no token");
    expect(streamText({ latencyMs: 65 })).toBe("");
  });
});
