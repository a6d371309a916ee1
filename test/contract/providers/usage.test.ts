/** What each wire says it used, in the classes that it bills apart, as the libraries hand it on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProviders } from "../../../src/providers/registry.ts";
import { startFaultyProvider, type FaultyProvider } from "../../fakes/faulty-provider.ts";
import { startMeteredProvider, type MeteredProvider } from "../../fakes/metered-provider.ts";
import { loopbackFetch, requestOf, wires } from "../../fixtures/providers/calls.ts";

const providers = createProviders({ fetch: loopbackFetch, demo: false, now: Date.now });

let metered: MeteredProvider;
let faulty: FaultyProvider;
beforeAll(async () => {
  metered = await startMeteredProvider();
  faulty = await startFaultyProvider();
});
afterAll(async () => {
  await metered.stop();
  await faulty.stop();
});

const openai = {
  prompt_tokens: 1_000,
  completion_tokens: 90,
  total_tokens: 1_090,
  prompt_tokens_details: { cached_tokens: 600, audio_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 64 },
};
const reported: Record<string, { usage: Record<string, unknown>; classes: object }> = {
  anthropic: {
    usage: {
      input_tokens: 100,
      cache_read_input_tokens: 600,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      output_tokens: 90,
      output_tokens_details: { thinking_tokens: 64 },
    },
    classes: {
      cacheReadTokens: 600,
      cacheWriteTokens: 200,
      cacheWriteHourTokens: 100,
      reasoningTokens: 64,
    },
  },
  google: {
    usage: {
      promptTokenCount: 1_000,
      candidatesTokenCount: 26,
      thoughtsTokenCount: 64,
      totalTokenCount: 1_090,
      cachedContentTokenCount: 600,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 700 },
        { modality: "AUDIO", tokenCount: 300 },
      ],
      cacheTokensDetails: [
        { modality: "TEXT", tokenCount: 400 },
        { modality: "AUDIO", tokenCount: 200 },
      ],
    },
    classes: {
      cacheReadTokens: 600,
      cacheReadAudioTokens: 200,
      audioInputTokens: 300,
      reasoningTokens: 64,
    },
  },
};

describe.each(wires)("$provider", (wire) => {
  it("tells classes of tokens", async () => {
    const { usage, classes } = reported[wire.provider] ?? {
      usage: openai,
      classes: { cacheReadTokens: 600, audioInputTokens: 100, reasoningTokens: 64 },
    };
    const request = requestOf(wire, { baseUrl: metered.url(wire.provider) });
    metered.set(request.model.id, { text: "Hi.", usage });
    const answer = await providers.complete(request);
    expect(answer.ok && answer.value.usage).toEqual({
      inputTokens: 1_000,
      outputTokens: 90,
      estimated: false,
      classes,
    });
  });

  it("tells what an answer without content used", async () => {
    faulty.setMode("empty");
    const request = requestOf(wire, { baseUrl: faulty.url(wire.provider) });
    expect(await providers.complete(request)).toMatchObject({
      ok: false,
      error: { kind: "empty", usage: { inputTokens: 12, outputTokens: 0, estimated: false } },
    });
  });

  it("has its output estimated where it reports the input alone", async () => {
    const request = requestOf(wire, { baseUrl: metered.url(wire.provider) });
    metered.set(request.model.id, {
      text: "fine",
      usage: { prompt_tokens: 10, input_tokens: 10, output_tokens: 0, promptTokenCount: 10 },
    });
    const answer = await providers.complete(request);
    expect(answer).toMatchObject({ value: { usage: { inputTokens: 10, estimated: true } } });
    expect(answer.ok && answer.value.usage.outputTokens).toBeGreaterThan(0);
  });

  it("has its input estimated where it reports the output alone", async () => {
    const request = requestOf(wire, { baseUrl: metered.url(wire.provider) });
    metered.set(request.model.id, {
      text: "fine",
      usage: { completion_tokens: 7, input_tokens: 0, output_tokens: 7, candidatesTokenCount: 7 },
    });
    const answer = await providers.complete(request);
    expect(answer).toMatchObject({ value: { usage: { outputTokens: 7, estimated: true } } });
    expect(answer.ok && answer.value.usage.inputTokens).toBeGreaterThan(0);
  });

  it("is not believed where it reports absurd figures", async () => {
    const request = requestOf(wire, { baseUrl: metered.url(wire.provider) });
    const many = 2 ** 63;
    metered.set(request.model.id, {
      text: "Hi.",
      usage: {
        prompt_tokens: 5,
        completion_tokens: many,
        input_tokens: 5,
        output_tokens: many,
        promptTokenCount: 5,
        candidatesTokenCount: many,
      },
    });
    const answer = await providers.complete(request);
    expect(answer.ok && answer.value.usage).toMatchObject({ outputTokens: 100, implausible: true });
  });
});
