/** Trace context is forwarded as W3C Trace Context defines it. */
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Span, Trace } from "../../../src/domain/audit/trace.ts";
import { createTraces } from "../../../src/telemetry/traces.ts";
import { spansIn } from "../../fakes/collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";
const target = { url: "http://collector.test/v1/traces", headers: {}, serviceName: "test" };

function tracing(about: { exports?: boolean; answer?: () => Promise<Response> } = {}) {
  const sent: string[] = [];
  const logged: Record<string, unknown>[] = [];
  const work: Promise<unknown>[] = [];
  const waits: { ms: number; over: () => void }[] = [];
  let elapsed = 0;
  const traces = createTraces({
    target: about.exports === false ? null : target,
    async fetch(_url, init) {
      sent.push(new TextDecoder().decode(init?.body as Uint8Array));
      return (await about.answer?.()) ?? Response.json({});
    },
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
    background: (promise) => void work.push(promise),
    wait: (ms) => (ms === 0 ? Promise.resolve() : new Promise((over) => waits.push({ ms, over }))),
    elapsed: () => elapsed,
    log: (entry) => void logged.push(entry),
  });
  return {
    traces,
    sent,
    logged,
    waits,
    pass: (ms: number) => void (elapsed += ms),
    settled: () => Promise.all(work),
  };
}

const ended = (trace: Trace) => (): Span[] =>
  trace.recorded === null
    ? []
    : [
        {
          name: "chat",
          kind: "server",
          ...trace.recorded,
          parentIsRemote: trace.recorded.parentSpanId !== null,
          startedAt: 1_763_694_441_123,
          endedAt: 1_763_694_441_456,
          failed: false,
          attributes: {},
        },
      ];

describe("the context that is handed on", () => {
  const headersFor = (
    traceparent: string | null,
    tracestate: string | null,
    about: { exports?: boolean } = {},
  ) => tracing(about).traces.join({ traceparent, tracestate }).child().headers;

  it("has the flags that version 00 knows, and no others", () => {
    expect(headersFor(`00-${traceId}-${parent}-ff`, null)["traceparent"]).toMatch(
      new RegExp(`^00-${traceId}-[0-9a-f]{16}-03$`),
    );
    expect(headersFor(`00-${traceId}-${parent}-fe`, null)["traceparent"]).toBe(
      `00-${traceId}-${parent}-02`,
    );
  });

  it("of a later version is read as far as it is known", () => {
    expect(headersFor(`cc-${traceId}-${parent}-01-what-the-future-brings`, null)).toMatchObject({
      traceparent: expect.stringContaining(`00-${traceId}-`),
    });
  });

  it("has a list only if a member of it is valid", () => {
    expect(headersFor(`00-${traceId}-${parent}-01`, "a=1, b=2")["tracestate"]).toBe("a=1,b=2");
    for (const list of ["", ",", "=", "A=1", "x".repeat(3_000), `a=${"y".repeat(600)}`])
      expect(headersFor(`00-${traceId}-${parent}-01`, list)).not.toHaveProperty("tracestate");
  });

  it("is empty where the caller sent none and nothing is recorded", () => {
    expect(headersFor(null, "a=1", { exports: false })).toEqual({});
    expect(headersFor("nonsense", "a=1", { exports: false })).toEqual({});
  });

  it("is well formed whatever came", () => {
    const shape = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[0-3]$/;
    const hex = (size: number) =>
      fc.string({
        unit: fc.constantFrom(..."0123456789abcdefF"),
        minLength: size,
        maxLength: size,
      });
    const nearlyRight = fc
      .tuple(hex(2), hex(32), hex(16), hex(2), fc.constantFrom("", "-", "-x", " ", "\r\nx: y"))
      .map(([version, trace, span, flags, rest]) => `${version}-${trace}-${span}-${flags}${rest}`);
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearlyRight), fc.string(), (traceparent, tracestate) => {
        const headers = headersFor(traceparent, tracestate);
        expect(headers["traceparent"]).toMatch(shape);
        // The runtime would throw for a value that no header can hold.
        expect(() => new Headers(headers)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("an export", () => {
  it("waits for the last of the requests that run, and who waited longer then sends nothing", async () => {
    const { traces, sent, waits, settled } = tracing();
    const first = traces.join({ traceparent: `00-${traceId}-${parent}-01`, tracestate: "a=1" });
    const second = traces.join({ traceparent: null, tracestate: null });
    first.end(ended(first));
    expect([sent, waits.length]).toEqual([[], 1]);
    second.end(ended(second));
    const third = traces.join({ traceparent: null, tracestate: null });
    third.end(ended(third));
    waits[0]?.over();
    await settled();
    expect(sent.map((body) => spansIn(body).length)).toEqual([2, 1]);
    const [one, two] = spansIn(sent[0] ?? "");
    expect(one).toMatchObject({ traceId, parentSpanId: parent, traceState: "a=1" });
    expect(one).toMatchObject({ startedAt: 1_763_694_441_123_000_000n });
    expect(two).toMatchObject({ parentSpanId: null, traceState: null, service: "test" });
    expect(two?.traceId).not.toBe(traceId);
  });

  it("waits a second at most where some request always runs, together with those that end meanwhile", async () => {
    const { traces, sent, waits, settled } = tracing();
    const [, ...others] = Array.from({ length: 3 }, () =>
      traces.join({ traceparent: null, tracestate: null }),
    );
    for (const one of others) one.end(ended(one));
    expect(waits.map(({ ms }) => ms)).toEqual([1_000]);
    waits[0]?.over();
    await settled();
    expect(sent.map((body) => spansIn(body).length)).toEqual([2]);
  });

  it("is made by another request where the invocation that waited was cut", async () => {
    const { traces, sent, waits, pass } = tracing();
    const [, first, second, third] = Array.from({ length: 4 }, () =>
      traces.join({ traceparent: null, tracestate: null }),
    );
    first?.end(ended(first));
    pass(1_999);
    second?.end(ended(second));
    expect(waits).toHaveLength(1);
    pass(1);
    third?.end(ended(third));
    expect(waits).toHaveLength(2);
    waits[1]?.over();
    await vi.waitFor(() => expect(sent.map((body) => spansIn(body).length)).toEqual([3]));
  });

  it("is made at once when many requests have ended", async () => {
    const { traces, sent, waits, settled } = tracing();
    const running = Array.from({ length: 130 }, () =>
      traces.join({ traceparent: null, tracestate: null }),
    );
    for (const one of running) one.end(ended(one));
    for (const { over } of waits) over();
    await settled();
    expect(sent.map((body) => spansIn(body).length)).toEqual([64, 64, 2]);
  });

  it.each([
    ["no answer from", () => Promise.reject(new Error("CANARY"))],
    ["status 503", () => Promise.resolve(new Response("CANARY", { status: 503 }))],
    [
      "rejected 1",
      () => Promise.resolve(Response.json({ partialSuccess: { rejectedSpans: "1" } })),
    ],
  ])("that fails is one line: %s", async (fault, answer) => {
    const { traces, logged, settled } = tracing({ answer });
    const trace = traces.join({ traceparent: null, tracestate: null });
    trace.end(ended(trace));
    await settled();
    expect(logged).toEqual([
      { event: "telemetry", fault: expect.stringContaining(fault), spans: 1 },
    ]);
    expect(JSON.stringify(logged)).not.toContain("CANARY");
  });

  it.each([
    ["nothing", () => new Response(null)],
    ["no JSON", () => new Response("<html>")],
    ["more than anybody wants to read", () => new Response("x".repeat(1_000_000))],
  ])("that is answered with %s is done", async (_, answer) => {
    const { traces, logged, settled } = tracing({ answer: async () => answer() });
    const trace = traces.join({ traceparent: null, tracestate: null });
    trace.end(ended(trace));
    await settled();
    expect(logged).toEqual([]);
  });

  it("whose spans can't be made is one line in the log, without the error's text", async () => {
    const { traces, sent, logged, settled } = tracing();
    traces.join({ traceparent: null, tracestate: null }).end(() => {
      throw new Error("CANARY");
    });
    await settled();
    expect(sent).toEqual([]);
    expect(logged).toEqual([{ event: "telemetry", fault: "internal", spans: 0 }]);
  });

  it("is not made where nothing is recorded", async () => {
    const { traces, sent, settled } = tracing({ exports: false });
    traces.join({ traceparent: `00-${traceId}-${parent}-01`, tracestate: null }).end(() => {
      throw new Error("asked for");
    });
    await settled();
    expect(sent).toEqual([]);
  });
});
