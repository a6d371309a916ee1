/** The fake cache, tested by the examples of the documentation that it follows. */
import { describe, expect, it } from "vitest";
import { createAnthropicCache, type Json } from "../../fakes/anthropic-cache.ts";
import { createPrefixCache, mistralRules, openaiRules } from "../../fakes/prefix-cache.ts";

const mark = { cache_control: { type: "ephemeral" } };
const hourMark = { cache_control: { type: "ephemeral", ttl: "1h" } };

/** A text of exactly so many tokens, told apart by its name. */
const text = (name: string, tokens: number, more: Json = {}): Json => ({
  type: "text",
  text: name.padEnd(tokens * 4, "."),
  ...more,
});

const model = "claude-sonnet-5";
const user = (...content: Json[]): Json => ({ model, messages: [{ role: "user", content }] });

function given() {
  let time = 0;
  const cache = createAnthropicCache({ now: () => time });
  return {
    pass: (minutes: number) => (time += minutes * 60_000),
    ask: (body: Json, workspace = "w1") => {
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = cache.process(
        body,
        workspace,
      );
      return {
        read: cache_read_input_tokens,
        written: cache_creation_input_tokens,
        plain: input_tokens,
      };
    },
    cache,
  };
}

/** Blocks 1 to `count`, 150 tokens each, marked where it is said. */
const blocks = (count: number, marked: number[]): Json =>
  user(
    ...Array.from({ length: count }, (_, at) =>
      text(`block ${at + 1}`, 150, marked.includes(at + 1) ? mark : {}),
    ),
  );

describe("the documentation's growing conversation", () => {
  it("writes at block 10, hits it from block 15, and misses block 15 from block 35", () => {
    const { ask } = given();
    expect(ask(blocks(10, [10]))).toEqual({ read: 0, written: 1_500, plain: 0 });
    expect(ask(blocks(15, [15]))).toEqual({ read: 1_500, written: 750, plain: 0 });
    expect(ask(blocks(35, [35]))).toEqual({ read: 0, written: 5_250, plain: 0 });
  });

  it("hits block 15 from block 35 with a second mark there", () => {
    const { ask } = given();
    ask(blocks(15, [15]));
    expect(ask(blocks(35, [15, 35]))).toEqual({ read: 2_250, written: 3_000, plain: 0 });
  });

  it("hits block 15 from block 34, the last position of the window", () => {
    const { ask } = given();
    ask(blocks(15, [15]));
    expect(ask(blocks(34, [34])).read).toBe(2_250);
  });

  it("counts a run of tool results as one position", () => {
    const { ask } = given();
    const uses = Array.from({ length: 30 }, (_, at) => ({
      type: "tool_use",
      id: `t${at}`,
      name: "f",
      input: {},
    }));
    const results = uses.map(({ id }, at) => ({
      type: "tool_result",
      tool_use_id: id,
      content: "12 °C",
      ...(at === 29 ? mark : {}),
    }));
    const first = { role: "user", content: [text("question", 2_000, mark)] };
    ask({ model, messages: [first] });
    const later = {
      model,
      messages: [
        { role: "user", content: [text("question", 2_000)] },
        { role: "assistant", content: uses },
        { role: "user", content: results },
      ],
    };
    expect(ask(later).read).toBe(2_000);
  });
});

describe("the documentation's common mistake", () => {
  it("writes every time when the marked block changes every time", () => {
    const { ask } = given();
    const at = (time: string): Json =>
      user(text("a", 2_000), text("b", 100), text(`at ${time}`, 10, mark));
    expect(ask(at("10:00"))).toEqual({ read: 0, written: 2_110, plain: 0 });
    expect(ask(at("10:01"))).toEqual({ read: 0, written: 2_110, plain: 0 });
  });

  it("reads when the last stable block is marked", () => {
    const { ask } = given();
    const at = (time: string): Json =>
      user(text("a", 2_000), text("b", 100, mark), text(`at ${time}`, 10));
    expect(ask(at("10:00"))).toEqual({ read: 0, written: 2_100, plain: 10 });
    expect(ask(at("10:01"))).toEqual({ read: 2_100, written: 0, plain: 10 });
  });
});

describe("the documentation's break-down of tokens", () => {
  it("has 100,000 tokens read, none written and 50 after the mark", () => {
    const { ask } = given();
    const body = (question: string): Json => ({
      model,
      system: [text("document", 100_000, mark)],
      messages: [{ role: "user", content: [text(question, 50)] }],
    });
    ask(body("first"));
    expect(ask(body("second"))).toEqual({ read: 100_000, written: 0, plain: 50 });
  });
});

describe("limits", () => {
  it.each([
    ["claude-fable-5", 512],
    ["claude-sonnet-4-5", 1_024],
    ["claude-opus-4-7", 2_048],
    ["claude-haiku-4-5", 4_096],
  ])("%s caches %i tokens, and not one less", (named, least) => {
    const { ask } = given();
    const body = (tokens: number): Json => ({ ...user(text("a", tokens, mark)), model: named });
    expect(ask(body(least)).written).toBe(least);
    expect(ask(body(least - 1))).toEqual({ read: 0, written: 0, plain: least - 1 });
  });

  it("lives five minutes from the start of the request that wrote or read it", () => {
    const { ask, pass } = given();
    const body = user(text("a", 2_000, mark));
    ask(body);
    pass(4.9);
    expect(ask(body).read).toBe(2_000);
    pass(4.9);
    expect(ask(body).read).toBe(2_000);
    pass(5);
    expect(ask(body)).toEqual({ read: 0, written: 2_000, plain: 0 });
  });

  it("lives an hour where an hour is asked, and counts its write apart", () => {
    const { ask, pass, cache } = given();
    const body = {
      model,
      system: [text("system", 2_000, hourMark)],
      messages: [{ role: "user", content: [text("hi", 1_000, mark)] }],
    };
    expect(cache.process(body, "w1").cache_creation).toEqual({
      ephemeral_5m_input_tokens: 1_000,
      ephemeral_1h_input_tokens: 2_000,
    });
    pass(30);
    expect(ask(body)).toEqual({ read: 2_000, written: 1_000, plain: 0 });
  });

  it("is another workspace's and another model's own", () => {
    const { ask } = given();
    const body = user(text("a", 5_000, mark));
    ask(body);
    expect(ask(body, "w2").read).toBe(0);
    expect(ask({ ...body, model: "claude-opus-4-8" }).read).toBe(0);
    expect(ask(body).read).toBe(5_000);
  });

  it("keeps tools and system prompt when the tool choice changes, and no message", () => {
    const { ask } = given();
    const body = (choice: string): Json => ({
      model,
      tools: [{ name: "f", description: "x".repeat(8_000), input_schema: {} }],
      tool_choice: { type: choice },
      system: [text("system", 1_000, mark)],
      messages: [{ role: "user", content: [text("hi", 1_000, mark)] }],
    });
    const { written } = ask(body("auto"));
    expect(ask(body("any"))).toEqual({ read: written - 1_000, written: 1_000, plain: 0 });
  });
});

describe("what the endpoint refuses", () => {
  const refusal = (body: Json): string => {
    try {
      given().ask(body);
    } catch (thrown) {
      return (thrown as Error).message;
    }
    return "nothing";
  };

  it("refuses a fifth mark", () => {
    expect(refusal(blocks(9, [1, 2, 3, 4]))).toBe("nothing");
    expect(refusal(blocks(9, [1, 2, 3, 4, 5]))).toBe(
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    );
    expect(refusal({ ...blocks(9, [1, 2, 3, 4]), ...mark })).toContain("Found 5");
  });

  it("refuses a mark on an empty text, on thinking, inside a tool result, and of another kind", () => {
    expect(refusal(user({ type: "text", text: "", ...mark }))).toContain("text");
    expect(refusal(user({ type: "thinking", thinking: "…", ...mark }))).toContain("thinking");
    const nested = { type: "tool_result", tool_use_id: "t", content: [text("a", 1, mark)] };
    expect(refusal(user(nested))).toContain("inside a tool result");
    expect(refusal(user(text("a", 1, { cache_control: { type: "forever" } })))).toContain(
      "ephemeral",
    );
    expect(
      refusal(user(text("a", 1, { cache_control: { type: "ephemeral", ttl: "2h" } }))),
    ).toContain("ttl");
  });

  it("refuses a longer lifetime after a shorter one", () => {
    expect(refusal(user(text("a", 2_000, mark), text("b", 2_000, hourMark)))).toContain("1h");
  });

  it("takes a mark at the top of the body for the last block", () => {
    const { ask } = given();
    expect(ask({ ...user(text("a", 2_000)), ...mark }).written).toBe(2_000);
    expect(ask({ ...user(text("a", 2_000), text("b", 100)), ...mark })).toEqual({
      read: 2_000,
      written: 100,
      plain: 0,
    });
  });
});

describe("caches without marks", () => {
  const place = { account: "a", model: "m", key: null };

  it("have OpenAI's steps: 1,024 tokens, then 128 each", () => {
    const cache = createPrefixCache(openaiRules, { now: () => 0 });
    const tokens = (count: number, end: string): string => "x".repeat(count * 4) + end;
    expect(cache.process(tokens(1_500, "first"), place)).toBe(0);
    expect(cache.process(tokens(1_023, "second"), place)).toBe(0);
    expect(cache.process(tokens(1_024, "third"), place)).toBe(1_024);
    expect(cache.process(tokens(1_151, "fourth"), place)).toBe(1_024);
    expect(cache.process(tokens(1_152, "fifth"), place)).toBe(1_152);
    expect(cache.process(tokens(1_152, "sixth"), { ...place, account: "b" })).toBe(0);
  });

  it("need a key at Mistral", () => {
    const cache = createPrefixCache(mistralRules, { now: () => 0 });
    const prompt = "y".repeat(1_000);
    cache.process(prompt, place);
    expect(cache.process(prompt, place)).toBe(0);
    cache.process(prompt, { ...place, key: "k" });
    expect(cache.process(prompt, { ...place, key: "k" })).toBe(192);
    expect(cache.process(prompt, { ...place, key: "l" })).toBe(0);
  });
});
