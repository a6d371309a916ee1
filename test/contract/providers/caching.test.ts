/**
 * What is marked for a provider's cache, on the wire, against a fake that caches by the documented rules.
 * Every count and price here is simulated.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { startCachingProvider, type CachingProvider } from "../../fakes/caching-provider.ts";
import {
  ask as askNow,
  listPrice,
  loopCall,
  manyTools,
  promptPrefixes,
  prose,
  providersWith,
  resultsOf,
  runLoop,
  seedModel,
  tokensByClass,
  type Asking,
} from "../../fixtures/caching-loop.ts";
import { callOf, modelOf, png, saying } from "../../fixtures/providers/calls.ts";

let time = 0;
const now = (): number => time;
const pass = (seconds: number): void => void (time += seconds * 1_000);
let fake: CachingProvider;
let asking: Asking;

const sonnet = seedModel("anthropic/claude-sonnet-4-5");
const toolRounds = 9;

beforeEach(async () => {
  time = 1_000_000;
  fake = await startCachingProvider({ now, toolRounds });
  const providers = providersWith(await promptPrefixes(now), now);
  asking = { fake, providers, model: sonnet, promptCaching: "auto" };
});
afterEach(() => fake.stop());

const marksIn = (body: unknown): number => JSON.stringify(body).split('"cache_control"').length - 1;
const marks = (): number[] => fake.requests().map(marksIn);
const withoutMarks = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );

/** Asks some time after the call before. */
const ask: typeof askNow = (...args) => {
  pass(2);
  return askNow(...args);
};

/** A question without tools, and with a long system prompt. */
const question = (text: string, change: Partial<SamplingCall> = {}): SamplingCall =>
  callOf({
    systemPrompt: prose(700, "The handbook"),
    ...saying({ type: "text", text }),
    ...change,
  });

describe("a loop of ten rounds", () => {
  const loop = async (promptCaching: Asking["promptCaching"]) => {
    fake.clear();
    const answers = await runLoop(
      { ...asking, promptCaching },
      { call: loopCall(), pass: () => pass(10) },
    );
    return { answers, bodies: fake.requests(), tokens: tokensByClass(fake.usages()) };
  };

  it("costs less with marks than without, by the list prices", async () => {
    const off = await loop("off");
    const auto = await loop("auto");
    expect(off.answers).toHaveLength(10);
    expect(off.tokens.read + off.tokens.written).toBe(0);
    expect(listPrice(sonnet, auto.tokens)).toBeLessThan(listPrice(sonnet, off.tokens) / 2);
    const all = ({ plain, read, written }: typeof auto.tokens) => plain + read + written;
    expect(all(auto.tokens)).toBe(all(off.tokens));
  });

  it("is sent the same but for the marks, and answered the same", async () => {
    const off = await loop("off");
    const auto = await loop("auto");
    expect(off.bodies.map(marksIn)).toEqual(Array<number>(10).fill(0));
    expect(auto.bodies.map(withoutMarks)).toEqual(off.bodies);
    const said = ({ answers }: typeof auto) =>
      answers.map(({ content, stopReason, notes }) => ({ content, stopReason, notes }));
    expect(said(auto)).toEqual(said(off));
  });

  it("marks nothing in its first call, then reads in each round what the round before wrote", async () => {
    await loop("auto");
    expect(marks()[0]).toBe(0);
    const usages = fake.usages().map((usage) => tokensByClass([usage]));
    const [first, second, ...others] = usages;
    expect(first?.written).toBe(0);
    expect(second).toMatchObject({ plain: 0, read: 0 });
    let before = second?.written ?? 0;
    for (const { plain, read, written } of others) {
      expect({ plain, read }).toEqual({ plain: 0, read: before });
      before = read + written;
    }
  });

  it("reads on when a round uses thirty tools at once", async () => {
    const wide = await startCachingProvider({ now, toolRounds: 0 });
    const uses = (round: number) => Array.from({ length: 30 }, (_, at) => `toolu_${round}_${at}`);
    const history = (rounds: number): SamplingCall["messages"] => [
      { role: "user", content: [{ type: "text", text: "Read it to me." }] },
      ...Array.from({ length: rounds }, (_, round) => [
        {
          role: "assistant" as const,
          content: uses(round).flatMap((id) => [
            { type: "text" as const, text: `Now ${id}.` },
            { type: "tool_use" as const, id, name: "read_page_0", input: {} },
          ]),
        },
        {
          role: "user" as const,
          content: uses(round).map((toolUseId) => ({
            type: "tool_result" as const,
            toolUseId,
            content: [{ type: "text" as const, text: `${toolUseId} is empty.` }],
          })),
        },
      ]).flat(),
    ];
    for (const rounds of [1, 2, 3])
      await ask({ ...asking, fake: wide }, loopCall({ messages: history(rounds) }));
    const usages = wide.usages().map((usage) => tokensByClass([usage]));
    expect(usages[1]?.read).toBe(usages[0]?.written);
    expect(usages[2]?.read).toBe((usages[1]?.read ?? 0) + (usages[1]?.written ?? 0));
    await wide.stop();
  });

  it("marks images in tool results with the result", async () => {
    const call = loopCall({
      messages: [
        { role: "user", content: [{ type: "text", text: "Look." }] },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "read_page_0", input: {} }],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              toolUseId: "toolu_1",
              content: [{ type: "image", data: png, mimeType: "image/png" }],
            },
          ],
        },
      ],
    });
    await ask(asking, call);
    const { messages } = fake.requests()[0] as {
      messages: { content: Record<string, unknown>[] }[];
    };
    expect(messages.at(-1)?.content[0]).toMatchObject({
      type: "tool_result",
      cache_control: { type: "ephemeral" },
    });
    expect(tokensByClass(fake.usages()).plain).toBe(0);
  });
});

describe("a prefix that repeats", () => {
  it("is sent plainly, then written, then read", async () => {
    for (const text of ["one", "two", "three"]) await ask(asking, question(text));
    expect(marks()).toEqual([0, 1, 1]);
    const [first, second, third] = fake.usages().map((usage) => tokensByClass([usage]));
    expect(first).toMatchObject({ read: 0, written: 0 });
    expect(second?.read).toBe(0);
    expect(second?.written).toBeGreaterThan(1_024);
    expect(third).toMatchObject({ read: second?.written, written: 0 });
  });

  it("is no repetition after five minutes", async () => {
    await ask(asking, question("one"));
    pass(300);
    await ask(asking, question("two"));
    expect(marks()).toEqual([0, 0]);
  });

  it("is no repetition of another tenant's, or on another credential or model", async () => {
    await ask(asking, question("one"));
    await ask({ ...asking, tenantId: "t2" }, question("two"));
    await ask({ ...asking, credentialId: "c2" }, question("two"));
    await ask({ ...asking, model: seedModel("anthropic/claude-sonnet-4-6") }, question("two"));
    expect(marks()).toEqual([0, 0, 0, 0]);
  });

  it("is a loop that a question follows in time, and not one that a question follows later", async () => {
    const call = loopCall();
    const answers = await runLoop(asking, { call, pass: () => pass(10) });
    expect(answers.at(-1)?.stopReason).toBe("endTurn");
    const history = fake.requests().length;
    const messages: SamplingCall["messages"] = [...call.messages];
    for (const answer of answers) messages.push(...resultsOf(answer, 200));
    messages.splice(-1, 1, { role: "user", content: [{ type: "text", text: "And then?" }] });
    const before = tokensByClass(fake.usages().slice(-1));
    await ask(asking, { ...call, messages: [...messages] });
    expect(tokensByClass(fake.usages().slice(history)).read).toBe(before.read + before.written);
    pass(300);
    await ask(asking, { ...call, messages: [...messages] });
    expect(marks().at(-1)).toBe(0);
  });

  it("may be the tools alone, of which the last one is marked", async () => {
    const { systemPrompt: _, ...call } = loopCall();
    for (const text of ["one", "two", "three"])
      await ask(asking, { ...call, ...saying({ type: "text", text }) });
    expect(marks()).toEqual([0, 1, 1]);
    const { tools } = fake.requests()[1] as { tools: Record<string, unknown>[] };
    expect(tools.map((tool) => "cache_control" in tool)).toEqual(
      manyTools.map((_tool, at) => at === manyTools.length - 1),
    );
    expect(tokensByClass(fake.usages().slice(2)).read).toBeGreaterThan(1_024);
  });

  it("includes what shaping adds to the system prompt", async () => {
    const shaped = (suffix: string) => `${prose(700, "The handbook")}\n\n${suffix}`;
    await ask(asking, question("one", { systemPrompt: shaped("Be brief.") }));
    await ask(asking, question("two", { systemPrompt: shaped("Answer in Markdown.") }));
    await ask(asking, question("three", { systemPrompt: shaped("Be brief.") }));
    expect(marks()).toEqual([0, 0, 1]);
  });

  it("may be the first block of a message, such as a document", async () => {
    const document = { type: "text", text: prose(900, "The document") } as const;
    for (const text of ["one", "two", "three"])
      await ask(asking, callOf(saying(document, { type: "text", text })));
    expect(marks()).toEqual([0, 1, 1]);
    expect(tokensByClass(fake.usages().slice(2)).read).toBeGreaterThan(1_024);
  });

  it("is not marked where it is shorter than the model's least length", async () => {
    const haiku = { ...asking, model: seedModel("anthropic/claude-haiku-4-5") };
    for (const text of ["one", "two", "three"]) await ask(haiku, question(text));
    expect(marks()).toEqual([0, 0, 0]);
  });

  it("is no repetition by calls of the same moment: none could read what another writes", async () => {
    await Promise.all(
      ["one", "two", "three", "four"].map((text) => askNow(asking, question(text))),
    );
    expect(marks()).toEqual([0, 0, 0, 0]);
    await ask(asking, question("five"));
    expect(marks().at(-1)).toBe(1);
  });

  it("is no repetition when one call is tried twice", async () => {
    const call = question("one");
    fake.failNext(529);
    await expect(ask(asking, call)).rejects.toThrow("fault");
    await ask(asking, { ...call, metadata: {} });
    expect(marks()).toEqual([0, 0]);
  });

  it("marks the text before a blank one, which is not sent", async () => {
    const empty = { type: "text", text: " " } as const;
    const asked = (text: string) =>
      callOf(saying({ type: "text", text: prose(900, "It") }, empty, { type: "text", text }));
    const bodies: unknown[] = [];
    for (const text of ["one", "two"]) {
      await ask(asking, asked(text)).catch(() => null);
      bodies.push(fake.requests().at(-1));
    }
    const { messages } = bodies[1] as { messages: { content: Record<string, unknown>[] }[] };
    expect(messages[0]?.content.map((block) => "cache_control" in block)).toEqual([true, false]);
  });
});

describe("marks of the caller", () => {
  const own = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } };

  it("sends a caller's own mark and none beside it, with caching on or off", async () => {
    const metadata = own;
    for (const text of ["one", "two"]) await ask(asking, question(text, { metadata }));
    await ask({ ...asking, promptCaching: "off" }, question("three", { metadata }));
    expect(marks()).toEqual([1, 1, 1]);
    for (const body of fake.requests())
      expect(body["cache_control"]).toEqual({ type: "ephemeral", ttl: "1h" });
  });

  it("sends the marks that come with a tool use and none beside them", async () => {
    const use = {
      type: "tool_use" as const,
      id: "toolu_1",
      name: "read_page_0",
      input: {},
      _meta: { "sampling-router/providerMetadata": own },
    };
    await ask(
      asking,
      loopCall({
        messages: [
          { role: "user", content: [{ type: "text", text: "Read it to me." }] },
          { role: "assistant", content: [use] },
          {
            role: "user",
            content: [{ type: "tool_result", toolUseId: "toolu_1", content: [] }],
          },
        ],
      }),
    );
    expect(marks()).toEqual([1]);
  });

  it("marks nothing where the policy says off", async () => {
    const off = { ...asking, promptCaching: "off" as const };
    for (const text of ["one", "two", "three"]) await ask(off, question(text));
    await runLoop(off, { call: loopCall(), pass: () => pass(1) });
    expect(marks().every((count) => count === 0)).toBe(true);
  });
});

describe("Claude through OpenRouter", () => {
  const claude = modelOf("openrouter", "anthropic/claude-sonnet-4.5");

  it("is marked on blocks of messages, and reads what the round before wrote", async () => {
    await runLoop({ ...asking, model: claude }, { call: loopCall(), pass: () => pass(10) });
    expect(marks().slice(0, 3)).toEqual([0, 3, 3]);
    const [, second, third] = fake.usages().map((usage) => tokensByClass([usage]));
    expect(second?.written).toBeGreaterThan(1_024);
    expect(third).toMatchObject({ plain: 0, read: second?.written });
  });

  it("is marked where a prefix repeats, in a text and in one of several blocks", async () => {
    const document = { type: "text", text: prose(900, "The document") } as const;
    for (const text of ["one", "two", "three"])
      await ask({ ...asking, model: claude }, question(text));
    for (const text of ["one", "two", "three"])
      await ask({ ...asking, model: claude }, callOf(saying(document, { type: "text", text })));
    expect(marks()).toEqual([0, 1, 1, 0, 1, 1]);
    const read = fake.usages().map((usage) => tokensByClass([usage]).read > 1_024);
    expect(read).toEqual([false, false, true, false, false, true]);
  });

  it("takes no mark on an empty result of a tool", async () => {
    const messages: SamplingCall["messages"] = [
      { role: "user", content: [{ type: "text", text: "Read it to me." }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "read_page_0", input: {} }],
      },
      { role: "user", content: [{ type: "tool_result", toolUseId: "toolu_1", content: [] }] },
    ];
    await ask({ ...asking, model: claude }, loopCall({ messages }));
    expect(marks()).toEqual([2]);
  });

  it("is the only family of models there that is marked", async () => {
    const gpt = modelOf("openrouter", "openai/gpt-4.1-mini");
    fake.clear();
    await ask({ ...asking, model: gpt }, loopCall()).catch(() => null);
    await ask({ ...asking, model: gpt }, loopCall()).catch(() => null);
    expect(marks()).toEqual([0, 0]);
  });
});

describe("providers without marks", () => {
  const mini = seedModel("openai/gpt-4.1-mini");
  const mistral = seedModel("mistral/mistral-medium-2508");

  it("get none: OpenAI caches by itself", async () => {
    await runLoop({ ...asking, model: mini }, { call: loopCall(), pass: () => pass(10) });
    expect(marks().every((count) => count === 0)).toBe(true);
    for (const body of fake.requests()) expect(body).not.toHaveProperty("prompt_cache_key");
    expect(tokensByClass(fake.usages()).read).toBeGreaterThan(1_024);
  });

  it("get a key at Mistral, the same in every round, and another for another tenant", async () => {
    await runLoop({ ...asking, model: mistral }, { call: loopCall(), pass: () => pass(10) });
    const keysOf = () => [...new Set(fake.requests().map((body) => body["prompt_cache_key"]))];
    const [key, ...more] = keysOf();
    expect(key).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(more).toEqual([]);
    expect(tokensByClass(fake.usages()).read).toBeGreaterThan(1_024);
    await ask({ ...asking, model: mistral, tenantId: "t2" }, loopCall());
    expect(keysOf()).toHaveLength(2);
  });

  it("get no key at Mistral where the policy says off, nor for a prompt of less than a block", async () => {
    await ask({ ...asking, model: mistral, promptCaching: "off" }, loopCall());
    await ask({ ...asking, model: mistral }, callOf());
    for (const body of fake.requests()) expect(body).not.toHaveProperty("prompt_cache_key");
  });
});

describe("a call that ends a loop", () => {
  it("is not written: without tools to use, no round follows", async () => {
    const messages: SamplingCall["messages"] = [
      { role: "user", content: [{ type: "text", text: prose(900, "The document") }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "read_page_0", input: {} }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", toolUseId: "toolu_1", content: [{ type: "text", text: "12 °C" }] },
        ],
      },
    ];
    await ask(asking, loopCall({ messages, toolChoice: "none" }));
    await ask(asking, loopCall({ messages, tools: [] }));
    await ask(asking, loopCall({ messages, tools: manyTools }));
    expect(marks()).toEqual([0, 0, 3]);
  });

  it("reads the tools and the system prompt, which a change of the tool choice leaves cached", async () => {
    await runLoop(asking, { call: loopCall(), pass: () => pass(10) });
    const [, opening] = fake.usages().map((usage) => tokensByClass([usage]));
    await ask(asking, loopCall({ ...saying({ type: "text", text: "And?" }), toolChoice: "none" }));
    expect(marks().at(-1)).toBe(1);
    const last = tokensByClass(fake.usages().slice(-1));
    expect(last.written).toBe(0);
    expect(last.read).toBeGreaterThan(1_024);
    expect(last.read).toBeLessThan(opening?.written ?? 0);
  });
});
