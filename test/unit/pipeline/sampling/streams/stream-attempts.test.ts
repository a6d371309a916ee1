/** One stream, from its first event to its end, on a clock that the test moves. */
import { describe, expect, it } from "vitest";
import type { ProviderFault } from "../../../../../src/domain/attempts.ts";
import { err, ok, type Result } from "../../../../../src/domain/result.ts";
import type {
  ProviderAnswer,
  ProviderRequest,
} from "../../../../../src/domain/sampling/providers.ts";
import type { StreamPart } from "../../../../../src/domain/sampling/stream-parts.ts";
import {
  createStreamAttempts,
  type AbandonedStreams,
} from "../../../../../src/pipeline/sampling/streams/stream-attempts.ts";
import { streamLimits } from "../../../../../src/pipeline/sampling/streams/stream-limits.ts";
import { call, model } from "../../../domain/models.fixture.ts";
import { createClock } from "./clock.fixture.ts";

/** ms of waiting, a part, or the end */
type Step = number | StreamPart | { ends: Result<ProviderAnswer, ProviderFault> };

const answer: ProviderAnswer = {
  content: [{ type: "text", text: "One two three" }],
  stopReason: "endTurn",
  providerStopReason: null,
  usage: { inputTokens: 11, outputTokens: 7, estimated: false },
  notes: [],
};
const fault = (fields: Partial<ProviderFault> = {}): ProviderFault => ({
  kind: "network",
  status: 200,
  retryable: true,
  retryAfterMs: null,
  billed: "maybe",
  reach: "endpoint",
  usage: null,
  ...fields,
});
const whole: Step = { ends: ok(answer) };
const broken: Step = { ends: err(fault()) };
const began: StreamPart = { type: "began" };
const counted: StreamPart = { type: "counted", input: { inputTokens: 11 } };
const text = (said: string): StreamPart => ({ type: "text", text: said });
const hidden = (said: string): StreamPart => ({ type: "hidden", text: said });
const event = (shows: "nothing" | "content", bytes = 10): StreamPart => ({
  type: "event",
  bytes: new Uint8Array(bytes),
  shows,
  text: "",
});
const said = [began, counted, text("One "), text("two "), text("three")];

interface Setting {
  steps: readonly Step[];
  /** ms that the reader needs for each part */
  slow?: number;
  /** ms after which the client leaves */
  leaves?: number;
  /** ms after which the router ends the stream */
  ends?: number;
  firstMs?: number;
  abandonedStreams?: AbandonedStreams;
  request?: Partial<ProviderRequest>;
}

async function streamed({
  steps,
  slow = 0,
  leaves,
  ends,
  firstMs = 120_000,
  abandonedStreams = { count: 0 },
  request = {},
}: Setting) {
  const clock = createClock();
  const given: StreamPart[] = [];
  const models: unknown[] = [];
  const [caller, router] = [new AbortController(), new AbortController()];
  if (leaves !== undefined) clock.after(leaves, () => caller.abort());
  if (ends !== undefined) clock.after(ends, () => router.abort());
  let readSteps = 0;
  const attempts = createStreamAttempts(
    {
      limits: streamLimits,
      abandonedStreams,
      elapsed: clock.elapsed,
      after: clock.after,
      providers: {
        async stream({ signal }, take) {
          for (const step of steps) {
            readSteps += 1;
            if (typeof step === "number") await clock.wait(step, signal);
            else if ("ends" in step) return step.ends;
            else await take(step);
            if (!signal.aborted) continue;
            const { name } = signal.reason as DOMException;
            return err(fault({ kind: name === "TimeoutError" ? "timeout" : "cancelled" }));
          }
          return clock.never();
        },
      },
    },
    {
      reader: {
        begins: (about) => void models.push(about),
        async take(part) {
          given.push(part);
          if (slow > 0) await clock.wait(slow, caller.signal);
        },
      },
      caller: caller.signal,
      router: router.signal,
    },
  );
  const running = attempts.attempt(
    {
      credential: { provider: "a", apiKey: "key", baseUrl: null },
      model: model("a/x"),
      call: call(),
      maxTokens: 1_000,
      signal: new AbortController().signal,
      ...request,
    },
    firstMs,
  );
  const result = await clock.run(running);
  const spoken = given.map((part) => (part.type === "text" ? part.text : "")).join("");
  return {
    answer: result,
    end: attempts.takeEnd(),
    isGivenOut: attempts.isGivenOut(),
    given,
    spoken,
    models,
    readSteps,
    abandonedStreams,
    endedAt: clock.elapsed(),
    open: clock.armed(),
  };
}

const usageIn = (result: Result<ProviderAnswer, ProviderFault>) =>
  result.ok ? result.value.usage : result.error.usage;

describe("an answer that is given out while it is written", () => {
  it("begins with its model, and ends complete", async () => {
    const seen = await streamed({ steps: [50, ...said, whole] });
    expect(seen).toMatchObject({
      answer: ok(answer),
      spoken: "One two three",
      models: [{ model: "a/x", inputTokens: 11 }],
      end: { status: "complete", firstMs: 50 },
      isGivenOut: true,
      open: 0,
    });
  });

  it("leaves another model to answer where it breaks before content, and none afterwards", async () => {
    for (let after = 0; after <= said.length; after += 1) {
      const free = err(fault({ billed: "no" }));
      const seen = await streamed({ steps: [...said.slice(0, after), { ends: free }] });
      const hasContent = after > 2;
      expect([after, seen.isGivenOut, seen.models.length > 0]).toEqual([
        after,
        hasContent,
        hasContent,
      ]);
      // What was read has been generated, whatever the error says.
      expect(seen.answer).toMatchObject({ error: { billed: hasContent ? "maybe" : "no" } });
      expect(seen.end).toMatchObject({ status: "interrupted", interruptedBy: "provider" });
    }
  });

  it("has so long for its first event, which no lifecycle event is", async () => {
    const seen = await streamed({ steps: [began, 20_000, counted, 20_000], firstMs: 30_000 });
    expect([seen.answer, seen.endedAt, seen.isGivenOut]).toMatchObject([
      { ok: false, error: { kind: "timeout" } },
      30_000,
      false,
    ]);
    const thinks = await streamed({
      steps: [20_000, hidden("hm"), 20_000, whole],
      firstMs: 30_000,
    });
    expect(thinks).toMatchObject({ answer: ok(answer), isGivenOut: false });
  });

  it("may be silent for 299 s, and not for 300 s", async () => {
    const alive = await streamed({ steps: [text("One "), 299_000, text("two"), whole] });
    expect([alive.spoken, alive.answer.ok]).toEqual(["One two", true]);
    const dead = await streamed({ steps: [text("One "), 301_000, text("two"), whole] });
    expect(dead).toMatchObject({
      spoken: "One ",
      answer: { error: { kind: "timeout", usage: null } },
      end: { status: "interrupted", interruptedBy: "provider" },
      endedAt: 300_000,
    });
  });

  it("may take 20 minutes, and an hour in all", async () => {
    const tick = [60_000, text(".")];
    const long = await streamed({
      steps: [...Array.from({ length: 20 }, () => tick).flat(), whole],
    });
    expect([long.answer.ok, long.endedAt]).toEqual([true, 1_200_000]);
    const endless = await streamed({ steps: Array.from({ length: 100 }, () => tick).flat() });
    expect(endless).toMatchObject({
      end: { status: "interrupted", interruptedBy: "router" },
      endedAt: 3_600_000,
      open: 0,
    });
  });

  it("is read no faster than its reader takes it, and a slow reader is no silence", async () => {
    const seen = await streamed({ steps: [text("One "), text("two"), whole], slow: 600_000 });
    expect([seen.spoken, seen.answer.ok, seen.endedAt]).toEqual(["One two", true, 1_200_000]);
  });
});

describe("a client that leaves", () => {
  it("pays for what was written, a quarter more than arrived, and the call is cancelled", async () => {
    const words = "word ".repeat(40);
    const seen = await streamed({ steps: [counted, text(words), 10_000, whole], leaves: 5_000 });
    const usage = usageIn(seen.answer);
    expect(seen).toMatchObject({
      answer: { error: { kind: "cancelled", billed: "maybe" } },
      end: { status: "interrupted", interruptedBy: "client" },
      endedAt: 5_000,
    });
    expect(usage).toMatchObject({ inputTokens: 11, estimated: true });
    expect(usage?.outputTokens).toBeGreaterThanOrEqual(50);
    const short = { maxTokens: 20 };
    const least = await streamed({ steps: [text(words), 10_000], leaves: 5_000, request: short });
    expect(usageIn(least.answer)?.outputTokens).toBe(20);
  });

  it("pays as reserved where nobody knows what was written", async () => {
    const before = await streamed({ steps: [counted, 10_000, whole], leaves: 5_000 });
    const slow = await streamed({
      steps: [text("One"), text("two"), whole],
      slow: 9_000,
      leaves: 5_000,
    });
    for (const seen of [before, slow])
      expect(seen.answer).toMatchObject({ ok: false, error: { billed: "maybe", usage: null } });
  });

  it("is billed exactly where a stream with hidden reasoning is read to its end", async () => {
    const steps = [hidden("hm"), text("One "), 40_000, text("two"), whole];
    const seen = await streamed({ steps, leaves: 5_000 });
    expect(seen).toMatchObject({
      answer: { error: { kind: "cancelled", usage: answer.usage } },
      spoken: "One ",
      end: { status: "interrupted", interruptedBy: "client" },
      endedAt: 40_000,
      abandonedStreams: { count: 0 },
    });
  });

  it("is waited for so by no stream for longer than a minute, and by a bounded number", async () => {
    const steps = [hidden("hm"), text("One "), 80_000, whole];
    const late = await streamed({ steps, leaves: 5_000 });
    expect([late.endedAt, usageIn(late.answer)]).toEqual([65_000, null]);
    const abandonedStreams = { count: streamLimits.maxReadToEnd };
    const full = await streamed({ steps, leaves: 5_000, abandonedStreams });
    expect([full.endedAt, usageIn(full.answer), full.abandonedStreams.count]).toEqual([
      5_000,
      null,
      streamLimits.maxReadToEnd,
    ]);
  });

  it("is not the router, which reads nothing on", async () => {
    const seen = await streamed({ steps: [hidden("hm"), text("One "), 80_000], ends: 5_000 });
    expect(seen).toMatchObject({
      answer: { error: { kind: "cancelled", usage: null } },
      end: { status: "interrupted", interruptedBy: "router" },
      endedAt: 5_000,
    });
  });
});

describe("events of the provider's own", () => {
  it("are held back until content comes, so that another model may answer", async () => {
    const early = await streamed({ steps: [event("nothing"), 4_000, broken] });
    expect([early.given, early.isGivenOut]).toEqual([[], false]);
    const seen = await streamed({ steps: [event("nothing"), 4_000, event("content"), whole] });
    expect(seen.given).toHaveLength(2);
  });

  it("are held back for 5 s, and 64 kB of them", async () => {
    const long = await streamed({ steps: [event("nothing"), 6_000, broken] });
    const large = await streamed({
      steps: [event("nothing", 40_000), event("nothing", 40_000), broken],
    });
    expect([long.given.length, long.isGivenOut]).toEqual([1, true]);
    expect([large.given.length, large.isGivenOut]).toEqual([2, true]);
  });
});
