/** A provider's stream becomes parts while it comes, and a whole answer only if its own last event came. */
import { describe, expect, it } from "vitest";
import { createProviders } from "../../../src/providers/registry.ts";
import type { StreamPart } from "../../../src/domain/sampling/stream-parts.ts";
import { call, model } from "../domain/models.fixture.ts";
import type { StrictWire } from "../../fakes/strict-wires.ts";
import { errorEventAt, eventsAt } from "../../fakes/wire-streams.ts";
import type { Said } from "../../fakes/wire-answers.ts";

type Call = ReturnType<typeof call>;

const encoder = new TextEncoder();
const bodyOf = (events: readonly string[], end: "close" | "fail"): ReadableStream<Uint8Array> => {
  const left = [...events];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next !== undefined) controller.enqueue(encoder.encode(next));
      else if (end === "close") controller.close();
      else controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    },
  });
};

const places: Readonly<Record<string, { model: string; wire: StrictWire; provider: string }>> = {
  anthropic: { model: "anthropic/claude-haiku-4-5", wire: "anthropic", provider: "anthropic" },
  chat: { model: "openai/gpt-4.1-mini", wire: "openai-chat", provider: "openai" },
  responses: { model: "openai/gpt-5-codex", wire: "openai-responses", provider: "openai" },
  compatible: { model: "groq/llama", wire: "groq", provider: "groq" },
  google: { model: "google/gemini-2.5-flash", wire: "google", provider: "google" },
};
const names = Object.keys(places);

async function stream(
  name: string,
  events: readonly string[],
  { end = "close", more = {} }: { end?: "close" | "fail"; more?: Partial<Call> } = {},
) {
  const place = places[name];
  if (place === undefined) throw new Error(name);
  const parts: StreamPart[] = [];
  const providers = createProviders({
    fetch: async () =>
      new Response(bodyOf(events, end), { headers: { "content-type": "text/event-stream" } }),
    demo: false,
    now: () => 0,
  });
  const answer = await providers.stream(
    {
      credential: {
        provider: place.provider,
        apiKey: "key",
        baseUrl: `https://${place.provider}.example/v1`,
      },
      model: model(place.model, { contextTokens: 10_000 }),
      call: { ...call(), ...more },
      maxTokens: 100,
      signal: new AbortController().signal,
    },
    async (part) => void parts.push(part),
  );
  return { answer, parts };
}
const textIn = (parts: readonly StreamPart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
const said: Said = { text: "Some words that come in pieces.", inputTokens: 12, outputTokens: 7 };
const wireOf = (name: string): StrictWire => places[name]?.wire ?? "compatible";

describe.each(names)("%s", (name) => {
  it("gives the text in pieces, then the answer with its usage", async () => {
    const { answer, parts } = await stream(name, eventsAt(wireOf(name), said));
    expect(textIn(parts)).toBe(said.text);
    expect(parts.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
    expect(answer).toMatchObject({
      ok: true,
      value: { stopReason: "endTurn", usage: { inputTokens: 12, outputTokens: 7 } },
    });
  });

  it("gives a tool use with its input", async () => {
    const tools = [{ name: "read", inputSchema: { type: "object" } }];
    const toolUse = { id: "call_1", name: "read", input: { day: 1, of: "the whole week" } };
    const { answer, parts } = await stream(name, eventsAt(wireOf(name), { toolUse }), {
      more: { tools },
    });
    const begun = parts.find((part) => part.type === "tool_use");
    expect(begun).toMatchObject({ name: "read" });
    const json = parts.map((part) => (part.type === "tool_input" ? part.json : "")).join("");
    expect(JSON.parse(json)).toEqual(toolUse.input);
    expect(answer).toMatchObject({ ok: true, value: { stopReason: "toolUse" } });
  });

  it("is no answer when it ends anywhere before its end, however it ends", async () => {
    const events = eventsAt(wireOf(name), said);
    const lastNeeded = events.findLastIndex((event) => !event.includes("[DONE]"));
    for (let after = 0; after < lastNeeded; after += 1)
      for (const [end, tail] of [
        ["close", []],
        ["fail", []],
        ["close", [errorEventAt(wireOf(name))]],
        ["close", ["data: {\n\n"]],
      ] as const) {
        const { answer } = await stream(name, [...events.slice(0, after), ...tail], { end });
        expect([after, end, tail, answer.ok]).toEqual([after, end, tail, false]);
      }
  });
});

it("Anthropic's usage counts where it came before the cut", async () => {
  const events = eventsAt("anthropic", said);
  const { answer } = await stream("anthropic", events.slice(0, -1));
  expect(answer).toMatchObject({
    ok: false,
    error: { usage: { inputTokens: 12, outputTokens: 7 }, billed: "maybe" },
  });
  const before = await stream("anthropic", events.slice(0, -2));
  expect(before.answer).toMatchObject({ ok: false, error: { usage: null } });
});

it("an error within a success is read as the status that it means", async () => {
  const { answer } = await stream("anthropic", [errorEventAt("anthropic")]);
  expect(answer).toMatchObject({ ok: false, error: { status: 529 } });
});
