/**
 * Images and speech, from the official SDK client to a provider and back, decoded by somebody else. What
 * a session did not declare is refused before anybody is asked.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant } from "../fakes/caller.ts";
import {
  drawn,
  geminiUsage,
  imageUsage,
  spoken,
  startMediaProvider,
  words,
  type MediaProvider,
} from "../fakes/media-provider.ts";
import { startAimock, type Aimock } from "../fakes/aimock.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { connect, decisionOf, refusalOf, type Connected } from "../fixtures/interop/client.ts";
import { decodeMp3, decodePng, decodeWav, mp3Of, pngOf } from "../fixtures/media/files.ts";

const revision = "2025-11-25";
const providerKey = "provider-key-0123456789";
const wanted = "sampling-router/outputModalities";
const declaring = (...supportedModalities: string[]) => ({ sampling: { supportedModalities } });

let fake: MediaProvider;
let aimock: Aimock;
let router: SharedRouter;

beforeAll(async () => {
  fake = await startMediaProvider();
  aimock = await startAimock([
    {
      match: { userMessage: "a blue field", endpoint: "image" },
      response: { image: { b64Json: pngOf(8, 8, [0, 0, 255]).toString("base64") } },
    },
    {
      match: { userMessage: "hello", endpoint: "speech" },
      response: { audio: mp3Of(4).toString("base64"), format: "mp3" },
    },
  ]);
  router = await borrowRouter();
});
afterAll(async () => {
  await aimock.stop();
  await fake.stop();
});
beforeEach(() => {
  fake.clear();
  fake.setMode("fine");
});

const opened: Connected[] = [];
afterAll(async () => {
  for (const { client } of opened) await client.close();
});

/** A tenant that may use these models, and a session of its own. */
async function session(
  slug: string,
  about: { provider: string; models: string[]; baseUrl: string },
  capabilities: object,
): Promise<
  Connected & { admin: ReturnType<typeof adminOf>; again(other: object): Promise<Connected> }
> {
  const { key } = await createTenant(router, slug, {
    provider: about.provider,
    apiKey: providerKey,
    baseUrl: about.baseUrl,
    policy: { allowedModels: about.models.map((model) => `${about.provider}/${model}`) },
  });
  const again = async (other: object): Promise<Connected> => {
    const connected = await connect(router.url, key, { revision, capabilities: other });
    opened.push(connected);
    return connected;
  };
  return { ...(await again(capabilities)), admin: adminOf(router, key), again };
}

const bytesOf = (content: unknown): Buffer =>
  Buffer.from((content as { data: string }).data, "base64");

describe("OpenAI's image and speech models", () => {
  let caller: Awaited<ReturnType<typeof session>>;
  beforeAll(async () => {
    caller = await session(
      "media-openai",
      {
        provider: "openai",
        models: ["gpt-image-1.5", "gpt-4o-mini-tts", "gpt-4.1-mini"],
        baseUrl: fake.url("openai"),
      },
      declaring("text", "image", "audio"),
    );
  });

  it("answer an image request with a PNG", async () => {
    const result = await caller.sample({
      ...asking("a red field"),
      metadata: { [wanted]: ["image"] },
    });
    expect(result).toMatchObject({
      role: "assistant",
      model: "openai/gpt-image-1.5",
      stopReason: "endTurn",
      content: { type: "image", mimeType: "image/png" },
    });
    const { width, height, colour } = drawn;
    expect(decodePng(bytesOf(result.content))).toEqual({ width, height, first: colour });
    const [entry, ...more] = fake.requests();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ path: "/v1/images/generations" });
    expect(entry?.headers["authorization"]).toBe(`Bearer ${providerKey}`);
    expect(entry?.body).not.toContain("sampling-router");
    // 5, 8 and 32 dollars a million tokens of text, of images, and of images made.
    const { input, imageInput, output } = imageUsage;
    const decision = decisionOf(result);
    expect(decision).toMatchObject({
      usage: { inputTokens: input, outputTokens: output },
      costUsd: ((input - imageInput) * 5 + imageInput * 8 + output * 32) / 1e6,
    });
    expect(decision.notes.join("\n")).toContain("maxTokens left out");
    const record = await caller.admin(
      "GET",
      `/tenants/media-openai/requests/${decision.requestId}`,
    );
    expect(record.body).toMatchObject({
      outcome: "succeeded",
      usage: {
        inputTokens: input,
        outputTokens: output,
        estimated: false,
        media: { images: 1, imageInputTokens: imageInput, imageOutputTokens: output },
      },
      costMicroUsd: Math.round(Number(decision.costUsd) * 1e6),
    });
  });

  it("answer an audio request with an MP3, or with a WAV on request", async () => {
    const mp3 = await caller.sample({ ...asking("hello"), metadata: { [wanted]: ["audio"] } });
    expect(mp3).toMatchObject({
      model: "openai/gpt-4o-mini-tts",
      content: { type: "audio", mimeType: "audio/mpeg" },
    });
    const { seconds } = decodeMp3(bytesOf(mp3.content));
    // Whole micro-dollars, rounded up.
    expect(decisionOf(mp3).costUsd).toBe(Math.ceil((15_000 / 60) * seconds) / 1e6);
    const wav = await caller.sample({
      ...asking("hello"),
      metadata: { [wanted]: ["audio"], openai: { outputFormat: "wav" } },
    });
    expect(wav.content).toMatchObject({ type: "audio", mimeType: "audio/wav" });
    expect(decodeWav(bytesOf(wav.content))).toEqual({
      seconds: spoken.seconds,
      sampleRate: spoken.sampleRate,
      peak: 9_000,
    });
    expect(fake.requests().map(({ path }) => path)).toEqual([
      "/v1/audio/speech",
      "/v1/audio/speech",
    ]);
  });

  it.each([[["image"]], [["audio"]], [["text", "image"]]])(
    "are not asked for %j by a session of text only",
    async (modalities) => {
      for (const capabilities of [declaring("text"), { sampling: {} }]) {
        const textOnly = await caller.again(capabilities);
        const refusal = await refusalOf(
          textOnly.sample({ ...asking("a red field"), metadata: { [wanted]: modalities } }),
        );
        expect(refusal).toMatchObject({ code: -32602, data: { reason: "capability_missing" } });
        const { requiredCapabilities } = refusal.data;
        expect(requiredCapabilities).toEqual({
          sampling: { supportedModalities: modalities.filter((modality) => modality !== "text") },
        });
      }
      expect(fake.requests()).toEqual([]);
    },
  );

  it("are not asked for image and audio at once, since no model makes both", async () => {
    const refusal = await refusalOf(
      caller.sample({ ...asking("a red field"), metadata: { [wanted]: ["image", "audio"] } }),
    );
    expect(refusal.data).toMatchObject({ reason: "no_eligible_model" });
    expect(fake.requests()).toEqual([]);
  });

  it("may send the largest answer that fits", async () => {
    fake.setMode("large");
    const result = await caller.sample({
      ...asking("a red field"),
      metadata: { [wanted]: ["image"] },
    });
    expect(bytesOf(result.content).length).toBeGreaterThan(7 * 1024 * 1024);
    expect(decodePng(bytesOf(result.content))).toMatchObject({ width: drawn.width });
  });

  it("fail the call whose answer does not fit", async () => {
    fake.setMode("endless");
    const refusal = await refusalOf(
      caller.sample({ ...asking("a red field"), metadata: { [wanted]: ["image"] } }),
    );
    expect(refusal.data).toMatchObject({
      reason: "provider_failed",
      attempts: [{ provider: "openai", model: "gpt-image-1.5", status: 200, retryable: false }],
    });
  });
});

describe("a language model that draws", () => {
  let caller: Awaited<ReturnType<typeof session>>;
  beforeAll(async () => {
    caller = await session(
      "media-google",
      { provider: "google", models: ["gemini-3.1-flash-image"], baseUrl: fake.url("google") },
      declaring("text", "image"),
    );
  });
  const ask = (modalities: string[], params: object = {}) => ({
    ...asking("a red field"),
    ...params,
    metadata: { [wanted]: modalities },
  });

  it("answers with an image, typed by its bytes", async () => {
    const result = await caller.sample(ask(["image"]));
    expect(result.content).toMatchObject({ type: "image", mimeType: "image/png" });
    decodePng(bytesOf(result.content));
    expect(decisionOf(result).usage).toEqual({
      inputTokens: geminiUsage.input,
      outputTokens: geminiUsage.output,
    });
  });

  it("answers with both; a caller of one block gets the modality it named first", async () => {
    const image = await caller.sample(ask(["image", "text"]));
    expect(image.content).toMatchObject({ type: "image" });
    expect(image._meta).toMatchObject({ "sampling-router/omitted": ["text"] });
    const text = await caller.sample(ask(["text", "image"]));
    expect(text.content).toEqual({ type: "text", text: words });
    expect(text._meta).toMatchObject({ "sampling-router/omitted": ["image"] });
  });

  it("fails when it answers with words alone", async () => {
    fake.setMode("words");
    const refusal = await refusalOf(caller.sample(ask(["image"])));
    expect(refusal.data).toMatchObject({
      reason: "provider_failed",
      attempts: [{ model: "gemini-3.1-flash-image", status: 200, retryable: true }],
    });
  });
});

describe("another implementation of the endpoints", () => {
  it("draws and speaks", async () => {
    const { sample } = await session(
      "media-aimock",
      {
        provider: "openai",
        models: ["gpt-image-1.5", "tts-1"],
        baseUrl: aimock.url("openai"),
      },
      declaring("text", "image", "audio"),
    );
    const image = await sample({ ...asking("a blue field"), metadata: { [wanted]: ["image"] } });
    expect(decodePng(bytesOf(image.content))).toMatchObject({ width: 8, first: [0, 0, 255] });
    const speech = await sample({ ...asking("hello"), metadata: { [wanted]: ["audio"] } });
    expect(speech.content).toMatchObject({ type: "audio", mimeType: "audio/mpeg" });
    decodeMp3(bytesOf(speech.content));
    // 15 dollars a million characters.
    expect(decisionOf(speech).costUsd).toBe((15 * "hello".length) / 1e6);
    expect((await aimock.journal()).map(({ path }) => path)).toEqual([
      "/v1/images/generations",
      "/v1/audio/speech",
    ]);
  });
});
