/** Images and speech over each wire, decoded by somebody else. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Model } from "../../../src/domain/models/model.ts";
import type { Modality } from "../../../src/domain/modality.ts";
import type { ProviderAnswer } from "../../../src/domain/sampling/providers.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { costMicroUsd } from "../../../src/domain/models/cost.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import {
  drawn,
  geminiUsage,
  imageUsage,
  spoken,
  startMediaProvider,
  words,
  type MediaProvider,
} from "../../fakes/media-provider.ts";
import { decodeMp3, decodePng, decodeWav } from "../../fixtures/media/files.ts";
import { callOf, loopbackFetch, png, requestOf, saying } from "../../fixtures/providers/calls.ts";

let fake: MediaProvider;
beforeAll(async () => {
  fake = await startMediaProvider();
});
afterAll(() => fake.stop());
beforeEach(() => {
  fake.clear();
  fake.setMode("fine");
});

const providers = createProviders({ fetch: loopbackFetch, demo: true, now: Date.now });

interface About {
  provider: string;
  model: string;
  makes: Modality[];
  wants?: Modality[];
  call?: Partial<SamplingCall>;
  figures?: Partial<Model>;
}

const ask = ({ provider, model, makes, wants = makes, call = {}, figures = {} }: About) =>
  providers.complete(
    requestOf(
      { provider, model },
      {
        baseUrl: fake.url(provider),
        model: { outputModalities: makes, ...figures },
        call: callOf({
          ...saying({ type: "text", text: "a red field" }),
          outputModalities: wants,
          ...call,
        }),
      },
    ),
  );

const answered = async (about: About): Promise<ProviderAnswer> => {
  const result = await ask(about);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

const sent = (): Record<string, unknown> => {
  const [entry, ...more] = fake.requests();
  expect(more).toEqual([]);
  return JSON.parse(entry?.body ?? "null") as Record<string, unknown>;
};

const bytesOf = (block: ProviderAnswer["content"][number] | undefined): Buffer =>
  Buffer.from(block?.type === "image" || block?.type === "audio" ? block.data : "", "base64");

const gptImage: About = { provider: "openai", model: "gpt-image-1.5", makes: ["image"] };
const compatible: About = { provider: "xai", model: "grok-imagine-image", makes: ["image"] };
const gemini: About = {
  provider: "google",
  model: "gemini-3.1-flash-image",
  makes: ["text", "image"],
  wants: ["image"],
};
const tts: About = { provider: "openai", model: "gpt-4o-mini-tts", makes: ["audio"] };
const groq: About = { provider: "groq", model: "playai-tts", makes: ["audio"] };
const geminiTts: About = {
  provider: "google",
  model: "gemini-2.5-flash-preview-tts",
  makes: ["audio"],
};

describe("images", () => {
  it.each([gptImage, compatible, gemini])("of $provider $model are a PNG", async (about) => {
    const answer = await answered(about);
    expect(answer.content).toMatchObject([{ type: "image", mimeType: "image/png" }]);
    const { width, height, colour } = drawn;
    expect(decodePng(bytesOf(answer.content[0]))).toEqual({ width, height, first: colour });
    expect(answer.stopReason).toBe("endTurn");
    expect(fake.requests()).toHaveLength(1);
  });

  it("are asked for with one prompt: the system's, what was said before, the last message", async () => {
    const answer = await answered({
      ...gptImage,
      call: {
        systemPrompt: "Flat colours.",
        temperature: 1,
        stopSequences: ["x"],
        messages: [
          { role: "user", content: [{ type: "text", text: "Draw a field." }] },
          { role: "assistant", content: [{ type: "text", text: "Which colour?" }] },
          { role: "user", content: [{ type: "text", text: "Red." }] },
        ],
        metadata: { openai: { size: "1024x1536", quality: "low", n: 10, model: "other" } },
      },
    });
    expect(sent()).toEqual({
      model: "gpt-image-1.5",
      prompt:
        "Flat colours.\n\nThe conversation so far:\nUser: Draw a field.\nAssistant: Which colour?\n\nRed.",
      n: 1,
      size: "1024x1536",
      quality: "low",
    });
    const told = answer.notes.join("\n");
    for (const note of [
      "maxTokens",
      "temperature",
      "stopSequences",
      "earlier turns",
      "systemPrompt",
    ])
      expect(told).toContain(note);
    expect(told).toContain("metadata.openai: 2 option(s) not passed on");
  });

  it("are made from the images of the last message that has some", async () => {
    const messages: SamplingCall["messages"] = [
      { role: "user", content: [{ type: "text", text: "Draw." }] },
      { role: "assistant", content: [{ type: "image", data: png, mimeType: "image/gif" }] },
      { role: "user", content: [{ type: "text", text: "Make it blue." }] },
    ];
    await answered({ ...gptImage, call: { messages } });
    const [entry] = fake.requests();
    expect(entry?.path).toBe("/v1/images/edits");
    expect(entry?.body).toContain(Buffer.from(png, "base64").toString("latin1"));
    // The type is read from the bytes, and not from what the caller called it.
    expect(entry?.body).toContain("Content-Type: image/png");
  });

  it("are not made where the model can't start from the image that was sent", async () => {
    const messages = saying(
      { type: "text", text: "Make it blue." },
      { type: "image", data: png, mimeType: "image/png" },
    );
    const result = await ask({
      ...gptImage,
      call: messages,
      figures: { inputModalities: ["text"] },
    });
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "invalid_request", retryable: true, billed: "no" },
    });
    expect(fake.requests()).toEqual([]);
  });

  it("of a language model come with its text, where both were asked for", async () => {
    const answer = await answered({ ...gemini, wants: ["text", "image"] });
    expect(answer.content).toMatchObject([
      { type: "text", text: words },
      { type: "image", mimeType: "image/png" },
    ]);
    expect(sent()).toMatchObject({
      generationConfig: { responseModalities: ["TEXT", "IMAGE"], maxOutputTokens: 100 + 2_520 },
    });
  });

  it("of a language model come alone, where only one was asked for", async () => {
    await answered(gemini);
    expect(sent()).toMatchObject({ generationConfig: { responseModalities: ["IMAGE"] } });
  });

  it("leave a language model's texts as they were", async () => {
    const answer = await answered({ ...gemini, wants: ["text"] });
    expect(answer.content).toEqual([{ type: "text", text: words }]);
    expect(answer.usage.media).toBeUndefined();
    expect(sent()).toMatchObject({ generationConfig: { maxOutputTokens: 100 } });
    expect(sent()).not.toHaveProperty("generationConfig.responseModalities");
  });
});

describe("speech", () => {
  it.each([tts, groq])("of $provider $model is an MP3", async (about) => {
    const answer = await answered(about);
    expect(answer.content).toMatchObject([{ type: "audio", mimeType: "audio/mpeg" }]);
    const { seconds } = decodeMp3(bytesOf(answer.content[0]));
    expect(answer.usage.media?.audioSeconds).toBeCloseTo(seconds, 2);
    expect(sent()).toMatchObject({ input: "a red field", response_format: "mp3" });
  });

  it("is a WAV for a caller that asks for one", async () => {
    const answer = await answered({
      ...tts,
      call: {
        systemPrompt: "Whisper.",
        metadata: { openai: { outputFormat: "wav", voice: "coral", speed: 1.5, model: "other" } },
      },
    });
    expect(answer.content).toMatchObject([{ type: "audio", mimeType: "audio/wav" }]);
    const { seconds, sampleRate } = spoken;
    expect(decodeWav(bytesOf(answer.content[0]))).toEqual({ seconds, sampleRate, peak: 9_000 });
    expect(sent()).toEqual({
      model: "gpt-4o-mini-tts",
      input: "a red field",
      instructions: "Whisper.",
      voice: "coral",
      speed: 1.5,
      response_format: "wav",
    });
  });

  it("of raw samples comes in a file", async () => {
    const answer = await answered(geminiTts);
    expect(answer.content).toMatchObject([{ type: "audio", mimeType: "audio/wav" }]);
    expect(decodeWav(bytesOf(answer.content[0]))).toMatchObject(
      (({ seconds, sampleRate }) => ({ seconds, sampleRate }))(spoken),
    );
    expect(answer.usage).toMatchObject({
      inputTokens: geminiUsage.input,
      outputTokens: geminiUsage.output,
      estimated: false,
    });
  });

  it("comes with an image from a model that makes both", async () => {
    const answer = await answered({
      provider: "google",
      model: "gemini-all",
      makes: ["text", "image", "audio"],
      wants: ["image", "audio"],
    });
    expect(answer.content.map(({ type }) => type)).toEqual(["image", "audio"]);
    decodePng(bytesOf(answer.content[0]));
    decodeWav(bytesOf(answer.content[1]));
  });

  it("reads the last message only, and says what it left out", async () => {
    const answer = await answered({
      ...tts,
      model: "tts-1",
      call: {
        systemPrompt: "Whisper.",
        messages: [
          { role: "user", content: [{ type: "text", text: "one" }] },
          { role: "assistant", content: [{ type: "text", text: "two" }] },
          { role: "user", content: [{ type: "text", text: "three" }] },
        ],
      },
    });
    expect(sent()).toMatchObject({ input: "three" });
    expect(answer.notes.join("\n")).toMatch(
      /messages before the last left out[^]*systemPrompt left out/,
    );
  });
});

describe("the usage", () => {
  const cost = async (about: About): Promise<number | null> => {
    const { usage } = await answered(about);
    return costMicroUsd(
      {
        inputUsdPerMTok: null,
        outputUsdPerMTok: null,
        priceTiers: [],
        ...about.figures,
      },
      usage,
    );
  };

  it("is the provider's count of tokens, images apart", async () => {
    const { usage } = await answered(gptImage);
    expect(usage).toEqual({
      inputTokens: imageUsage.input,
      outputTokens: imageUsage.output,
      estimated: false,
      media: {
        images: 1,
        imageInputTokens: imageUsage.imageInput,
        imageOutputTokens: imageUsage.output,
      },
    });
    const figures = {
      inputUsdPerMTok: 5,
      outputUsdPerMTok: 32,
      mediaPrices: { imageInputUsdPerMTok: 8 },
    };
    expect(await cost({ ...gptImage, figures })).toBe(20 * 5 + 30 * 8 + 1_056 * 32);
  });

  it("of a language model is priced apart for its images", async () => {
    const figures = {
      inputUsdPerMTok: 0.5,
      outputUsdPerMTok: 3,
      mediaPrices: { imageOutputUsdPerMTok: 60 },
    };
    expect(await cost({ ...gemini, wants: ["text", "image"], figures })).toBe(
      Math.ceil(9 * 0.5 + 10 * 3 + 1_290 * 60),
    );
  });

  it("is estimated where the provider reports none, and priced by the image", async () => {
    fake.setMode("uncounted");
    const { usage } = await answered(compatible);
    expect(usage).toMatchObject({ estimated: true, media: { images: 1 } });
    expect(await answered(gemini)).toMatchObject({ usage: { estimated: true } });
    fake.clear();
    const figures = { mediaPrices: { usdPerImage: 0.02 } };
    expect(await cost({ ...compatible, figures })).toBe(20_000);
  });

  it("of speech is priced by the minute or by the character", async () => {
    const wav = { metadata: { openai: { outputFormat: "wav" } } };
    const byMinute = { mediaPrices: { usdPerAudioMinute: 0.6 } };
    expect(await cost({ ...tts, call: wav, figures: byMinute })).toBe(10_000 * spoken.seconds);
    fake.clear();
    const byCharacter = { mediaPrices: { usdPerMCharacters: 15 } };
    expect(await cost({ ...tts, figures: byCharacter })).toBe("a red field".length * 15);
  });

  it("has an unknown price where the model has none, and not 0", async () => {
    for (const about of [gptImage, compatible, gemini, tts, geminiTts])
      expect(await cost(about)).toBeNull();
  });
});

describe("no pretending", () => {
  const fault = async (about: About): Promise<unknown> => {
    const result = await ask(about);
    return result.ok ? result.value : result.error;
  };

  it.each([gemini, gptImage])("$provider answers with words: empty", async (about) => {
    fake.setMode("words");
    expect(await fault(about)).toMatchObject({ kind: "empty", retryable: true, billed: "maybe" });
  });

  it.each([gemini, gptImage, compatible, tts])(
    "$provider $model sends something else under the right name: malformed",
    async (about) => {
      fake.setMode("mislabelled");
      expect(await fault(about)).toMatchObject({ kind: "malformed", retryable: true });
    },
  );

  it.each(["huge", "endless"] as const)(
    "an answer that is %s isn't read to its end",
    async (mode) => {
      fake.setMode(mode);
      for (const about of [gptImage, compatible, gemini, tts, geminiTts])
        expect(await fault(about)).toMatchObject({
          kind: "malformed",
          status: 200,
          retryable: false,
          retryAfterMs: null,
          billed: "maybe",
        });
    },
  );

  it("a link isn't followed", async () => {
    fake.setMode("link");
    expect(await fault(compatible)).toMatchObject({ kind: "empty", retryable: true });
  });

  it.each<About>([
    // The libraries for these models drop such answers.
    { provider: "openai", model: "gpt-audio", makes: ["text", "audio"], wants: ["audio"] },
    { provider: "openrouter", model: "draws", makes: ["text", "image"], wants: ["image"] },
    { provider: "anthropic", model: "draws", makes: ["text", "image"], wants: ["image"] },
    { provider: "anthropic", model: "draws", makes: ["image"] },
    { provider: "google", model: "imagen-4", makes: ["image"] },
    { provider: "demo", model: "demo-small", makes: ["text", "image"], wants: ["image"] },
    // No endpoint makes both kinds of media, or text.
    { provider: "openai", model: "gpt-image-1.5", makes: ["image"], wants: ["image", "audio"] },
    { provider: "openai", model: "gpt-image-1.5", makes: ["image"], wants: ["text"] },
    { provider: "workers-ai", model: "@cf/draws", makes: ["image"] },
  ])("$provider $model isn't asked for $wants", async (about) => {
    expect(await fault(about)).toMatchObject({
      kind: "invalid_request",
      status: null,
      retryable: true,
      billed: "no",
    });
    expect(fake.requests()).toEqual([]);
  });

  it.each([gptImage, tts])("$model isn't called where the call asks for nothing", async (about) => {
    const call = saying({ type: "text", text: "  " });
    expect(await fault({ ...about, call })).toMatchObject({
      kind: "invalid_request",
      billed: "no",
    });
    expect(fake.requests()).toEqual([]);
  });
});
