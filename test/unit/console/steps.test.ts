/** The timeline of a request attributes each pause to the attempt that waited. */
import { describe, expect, it } from "vitest";
import { pausesOf, stepsOf, streamText, type Timed } from "../../../src/console/requests/steps.ts";

const timing = { auth: 1, choose: 2, approve: 0, admit: 3, provider: 220 };
const failed = { provider: "own", model: "large", latencyMs: 5, fault: "server" as const };
const answered = { provider: "own", model: "small", latencyMs: 65, fault: null };
const namesOf = (record: Timed) => stepsOf(record).map(({ name, from, ms }) => [name, from, ms]);

describe("the steps of a request", () => {
  it("have the pause between two attempts where it was, and no one else's time", () => {
    const record = { timing, totalMs: 228, attempts: [failed, answered] };
    expect(pausesOf(record)).toBe(150);
    expect(namesOf(record)).toEqual([
      ["check the key", 0, 1],
      ["choose a model", 1, 2],

      ["check limits", 3, 3],
      ["own/large", 6, 5],
      ["pause", 11, 150],
      ["own/small", 161, 65],
      ["write the record", 226, 2],
    ]);
  });

  it("have the sum of several pauses after the attempts", () => {
    const record = { timing, totalMs: 226, attempts: [failed, failed, answered] };
    expect(namesOf(record).slice(3)).toEqual([
      ["own/large", 6, 5],
      ["own/large", 11, 5],
      ["own/small", 16, 65],
      ["pauses between attempts", 81, 145],
    ]);
  });

  it("have no pause beside one attempt, or where nothing was timed", () => {
    expect(pausesOf({ timing, totalMs: 226, attempts: [answered] })).toBe(0);
    expect(namesOf({ timing: null, totalMs: 80, attempts: [failed, answered] })).toEqual([
      ["own/large", 0, 5],
      ["own/small", 5, 65],
      ["write the record", 70, 10],
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
