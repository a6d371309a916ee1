/** The events of a provider that speaks the caller's API go on as they came, in any pieces, and are only observed. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelEndpointName } from "../../../src/domain/model-endpoint.ts";
import { createPins } from "../../../src/domain/sampling/pins.ts";
import type { ProviderRequest } from "../../../src/domain/sampling/providers.ts";
import type { StreamPart } from "../../../src/domain/sampling/stream-parts.ts";
import { readModelRequest } from "../../../src/mcp/json-text/model-request.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import type { Said } from "../../fakes/wire-answers.ts";
import { errorEventAt, eventsAt } from "../../fakes/wire-streams.ts";
import { requestOf } from "../../fixtures/providers/calls.ts";

const places = {
  messages: { provider: "anthropic", model: "claude-sonnet-4-5", wire: "anthropic" },
  responses: { provider: "openai", model: "gpt-5-pro", wire: "openai-responses" },
  "chat.completions": { provider: "groq", model: "llama-3.3-70b-versatile", wire: "groq" },
} as const;
const names = Object.keys(places) as ModelEndpointName[];
const usageIsAsked = '{"model":"m","stream":true,"stream_options":{"include_usage":true}}';
const said: Said = { text: "Ein paar Wörter, in Stücken.", inputTokens: 100, outputTokens: 20 };

const streamOf = (pieces: readonly (Uint8Array | "broken")[]): ReadableStream<Uint8Array> => {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else if (piece === "broken") controller.error(new TypeError("terminated"));
      else controller.enqueue(piece);
    },
  });
};
const sse = (pieces: readonly (Uint8Array | "broken")[]): Response =>
  new Response(streamOf(pieces), { headers: { "content-type": "text/event-stream" } });
const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

async function streamed(
  endpoint: ModelEndpointName,
  answer: () => Response,
  {
    text = usageIsAsked,
    pins = createPins(10),
    after = () => () => {},
  }: {
    text?: string;
    pins?: ReturnType<typeof createPins>;
    after?: (ms: number, act: () => void) => () => void;
  } = {},
) {
  const body = readModelRequest(encoded(text) as Uint8Array<ArrayBuffer>);
  if (!body.ok) throw new Error(text);
  const { stream } = createProviders({
    fetch: async () => answer(),
    demo: false,
    now: () => 0,
    pins,
    after,
  });
  const request = requestOf(places[endpoint], { baseUrl: "http://127.0.0.1:1/v1" });
  const passing: ProviderRequest = {
    ...request,
    credential: { ...request.credential, id: "cred_1" },
    maxTokens: 1_000,
    passed: { endpoint, body: body.value, headers: {}, addsLimit: false },
  };
  const parts: StreamPart[] = [];
  const result = await stream(passing, async (part) => void parts.push(part));
  const bytes = parts.flatMap((part) => (part.type === "event" ? [...part.bytes] : []));
  return { result, parts, given: new TextDecoder().decode(new Uint8Array(bytes)) };
}

describe("a stream", () => {
  it("goes on byte for byte, in whatever pieces it comes", async () => {
    const cases = fc.tuple(fc.constantFrom(...names), fc.array(fc.nat(3_000), { maxLength: 30 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([endpoint, cuts]) => {
        const events = [": hello\n\n", ...eventsAt(places[endpoint].wire, said)].join("");
        const bytes = encoded(events);
        const places_ = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length];
        const sorted = places_.toSorted((a, b) => a - b);
        const pieces = sorted.slice(1).map((to, at) => bytes.slice(sorted[at], to));
        const { result, given } = await streamed(endpoint, () => sse(pieces));
        expect(given).toBe(events);
        expect(result).toMatchObject({
          ok: true,
          value: { passed: events, usage: { inputTokens: 100, outputTokens: 20 } },
        });
      }),
      { numRuns: 60 },
    );
  });

  it.each(names)("of %s is read for whoever captures it", async (endpoint) => {
    const toolUse = { id: "use_1", name: "read", input: { day: 1 } };
    const events = eventsAt(places[endpoint].wire, { ...said, toolUse });
    const { result } = await streamed(endpoint, () => sse(events.map(encoded)));
    if (endpoint === "responses") return expect(result.ok).toBe(true);
    expect(result).toMatchObject({
      value: { stopReason: "toolUse", content: [{ type: "text", text: said.text }, toolUse] },
    });
  });

  it("of Chat keeps the usage from a client that did not ask for it", async () => {
    const events = eventsAt("groq", said);
    const without = await streamed("chat.completions", () => sse([encoded(events.join(""))]), {
      text: '{"model":"m","stream":true}',
    });
    expect(without.given).toBe(events.filter((event) => !event.includes('"choices":[]')).join(""));
    expect(without.result).toMatchObject({ value: { usage: { inputTokens: 100 } } });
  });

  it("shows content and reasoning for what they are", async () => {
    const shown = async (endpoint: ModelEndpointName, more: Said): Promise<string[]> => {
      const events = eventsAt(places[endpoint].wire, { ...said, ...more });
      const { parts } = await streamed(endpoint, () => sse(events.map(encoded)));
      const seen = parts.flatMap((part) => (part.type === "event" ? [part.shows] : []));
      return seen.filter((each, at) => each !== seen[at - 1]);
    };
    for (const endpoint of names) {
      const seen = await shown(endpoint, {});
      expect(seen.slice(0, 2)).toEqual(["nothing", "content"]);
    }
    for (const endpoint of ["messages", "chat.completions"] as const) {
      const seen = await shown(endpoint, { thinks: "Let me think." });
      expect(seen.slice(0, 2)).toEqual(["nothing", "hidden"]);
    }
  });

  it.each(names)(
    "of %s is complete with its last event, before its body ends",
    async (endpoint) => {
      const events = eventsAt(places[endpoint].wire, said);
      let cancelled = false;
      const open = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(encoded(events.join(""))),
        cancel: () => void (cancelled = true),
      });
      const headers = { "content-type": "text/event-stream" };
      const timers: (() => void)[] = [];
      const { result, given } = await streamed(endpoint, () => new Response(open, { headers }), {
        after(_, act) {
          timers.push(act);
          return () => {};
        },
      });
      expect([result.ok, given, cancelled]).toEqual([true, events.join(""), false]);
      // A body that doesn't end is given up.
      for (const act of timers) act();
      expect([timers.length, cancelled]).toEqual([1, true]);
    },
  );

  it("of Anthropic tells of its input before its end", async () => {
    const { parts } = await streamed("messages", () =>
      sse(eventsAt("anthropic", said).map(encoded)),
    );
    expect(parts[0]).toMatchObject({ type: "counted", input: { inputTokens: 100 } });
  });

  it("binds what it sealed to its account", async () => {
    const pins = createPins(10);
    const signature = { type: "signature_delta", signature: "s".repeat(60) };
    const delta = { type: "content_block_delta", index: 0, delta: signature };
    const signed = `event: content_block_delta\ndata: ${JSON.stringify(delta)}\n\n`;
    const events = eventsAt("anthropic", { ...said, thinks: "Hm." });
    const at = events.findIndex((event) => event.includes("content_block_stop"));
    await streamed("messages", () => sse(events.toSpliced(at, 0, signed).map(encoded)), { pins });
    expect(pins.of(["other", "s".repeat(60)])).toBe("cred_1");
  });
});

describe("a stream that breaks", () => {
  it.each(names)("of %s is a fault, wherever it does", async (endpoint) => {
    const { wire } = places[endpoint];
    const events = eventsAt(wire, said);
    const last = endpoint === "chat.completions" ? events.length - 2 : events.length - 1;
    for (let after = 0; after <= last; after += 1) {
      const sent = events.slice(0, after).map(encoded);
      const clean = await streamed(endpoint, () => sse(sent));
      expect([after, clean.result]).toMatchObject([
        after,
        { ok: false, error: { kind: "network" } },
      ]);
      const broken = await streamed(endpoint, () => sse([...sent, "broken"]));
      expect(broken.result).toMatchObject({ ok: false, error: { kind: "network" } });
      const failed = await streamed(endpoint, () => sse([...sent, encoded(errorEventAt(wire))]));
      expect([failed.result.ok, failed.given]).toEqual([false, events.slice(0, after).join("")]);
      const garbled = await streamed(endpoint, () => sse([...sent, encoded("data: {\n\n")]));
      expect(garbled.result).toMatchObject({ ok: false, error: { kind: "malformed" } });
      const together = encoded(events.slice(0, after).join("") + errorEventAt(wire));
      const one = await streamed(endpoint, () => sse([together]));
      expect([one.result.ok, one.given]).toEqual([false, events.slice(0, after).join("")]);
      // Half an event is never given out.
      const half = encoded(events[after] ?? "").slice(0, 12);
      const cut = await streamed(endpoint, () => sse([...sent, half]));
      expect([cut.result.ok, cut.given]).toEqual([false, events.slice(0, after).join("")]);
    }
  });

  it("after its usage is charged by it", async () => {
    const events = eventsAt("anthropic", said).slice(0, -1);
    const { result } = await streamed("messages", () => sse(events.map(encoded)));
    expect(result).toMatchObject({ ok: false, error: { usage: { outputTokens: 20 } } });
  });

  it("before it begins is what its status says", async () => {
    const limited = await streamed("messages", () =>
      Response.json({ type: "error", error: { type: "rate_limit_error" } }, { status: 429 }),
    );
    expect(limited.result).toMatchObject({ error: { kind: "rate_limit", status: 429 } });
    const inside = await streamed("chat.completions", () =>
      Response.json({ error: { code: 429 } }),
    );
    expect(inside.result).toMatchObject({ error: { kind: "rate_limit" } });
  });
});
