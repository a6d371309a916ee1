/** Which kind of call a model gets, by what it makes and what is wanted. */
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Modality } from "../../../src/domain/modality.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { optionsFromMetadata } from "../../../src/providers/metadata.ts";
import { createProviders, kindOf } from "../../../src/providers/registry.ts";
import { createWorkersAi, type AiBinding } from "../../../src/providers/workers-ai.ts";
import { callOf, png, requestOf, saying } from "../../fixtures/providers/calls.ts";

describe("the kind of a call", () => {
  const kind = (makes: Modality[], wants: Modality[]): string | null =>
    kindOf(
      requestOf(
        { provider: "openai", model: "m" },
        { model: { outputModalities: makes }, call: callOf({ outputModalities: wants }) },
      ),
    );

  it.each<[Modality[], Modality[], string | null]>([
    [["text"], ["text"], "language"],
    [["text", "image"], ["image"], "language"],
    [["text", "image"], ["text", "image"], "language"],
    [["text", "audio"], ["audio"], "language"],
    [["image"], ["image"], "image"],
    [["audio"], ["audio"], "speech"],
    // Each endpoint makes one kind of media, and no model is asked for another kind than it makes.
    [["image", "audio"], ["image"], "image"],
    [["image", "audio"], ["image", "audio"], null],
    [["image"], ["text"], null],
    [["image"], ["audio"], null],
    [["audio"], ["text", "audio"], null],
    [["image"], [], null],
  ])("of a model that makes %j, asked for %j, is %s", (makes, wants, expected) => {
    expect(kind(makes, wants)).toBe(expected);
  });
});

describe("metadata", () => {
  const given = {
    size: "1x1",
    voice: "a",
    quality: "low",
    reasoningEffort: "low",
    n: 5,
    model: "x",
  };

  it.each([
    ["openai", "language", ["reasoningEffort"]],
    ["openai", "image", ["size", "quality"]],
    ["openai", "speech", ["voice"]],
    ["google", "speech", ["voice"]],
    ["my-server", "image", ["size", "quality"]],
    ["my-server", "speech", ["voice"]],
  ] as const)("of %s is, for %s, what shapes its answer", (provider, kind, kept) => {
    const { options, notes } = optionsFromMetadata({ [provider]: given }, provider, kind);
    expect(new Set(Object.keys(options ?? {}))).toEqual(new Set(kept));
    expect(notes).toEqual([
      `metadata.${provider}: ${Object.keys(given).length - kept.length} option(s) not passed on`,
    ]);
  });
});

describe("the Workers AI binding", () => {
  const ask = (ai: AiBinding, wants: Modality, call: Partial<SamplingCall> = {}) =>
    createProviders({
      fetch: () => Promise.reject(new Error("no network here")),
      workersAi: createWorkersAi(ai),
      demo: false,
      now: () => 0,
    }).complete(
      requestOf(
        { provider: "workers-ai", model: "@cf/some/model" },
        {
          model: { outputModalities: [wants] },
          call: callOf({ outputModalities: [wants], ...call }),
        },
      ),
    );
  const bytes = new Uint8Array(Buffer.from(png, "base64"));

  it.each([
    ["bytes", () => bytes],
    ["a stream", () => new Blob([bytes]).stream()],
    ["base64", () => ({ image: png })],
  ])("draws, in %s", async (_, output) => {
    const asked: unknown[] = [];
    const ai: AiBinding = {
      run: async (model, inputs) => {
        asked.push(model, inputs);
        return output();
      },
    };
    expect(await ask(ai, "image", { metadata: { "workers-ai": { size: "64x32" } } })).toMatchObject(
      {
        ok: true,
        value: {
          content: [{ type: "image", mimeType: "image/png", data: png }],
          usage: { estimated: true, media: { images: 1 } },
        },
      },
    );
    expect(asked).toMatchObject(["@cf/some/model", { prompt: "hello", width: 64, height: 32 }]);
  });

  it("speaks", async () => {
    const mp3 = new Uint8Array(
      Buffer.from("ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0000", "latin1"),
    );
    const ai: AiBinding = { run: async () => new Blob([mp3]).stream() };
    expect(await ask(ai, "audio")).toMatchObject({
      ok: true,
      value: { content: [{ type: "audio", mimeType: "audio/mpeg" }] },
    });
  });

  it("isn't sent an image that its library would drop", async () => {
    const ai: AiBinding = { run: () => Promise.reject(new Error("was called")) };
    const call = saying(
      { type: "text", text: "make it blue" },
      { type: "image", data: png, mimeType: "image/png" },
    );
    expect(await ask(ai, "image", call)).toMatchObject({
      ok: false,
      error: { kind: "invalid_request", billed: "no" },
    });
  });

  it.each(["image", "audio"] as const)("keeps nothing of what it throws over %s", async (wants) => {
    const ai: AiBinding = { run: () => Promise.reject(new Error("CANARY of a prompt")) };
    const result = await ask(ai, wants, saying({ type: "text", text: "CANARY of a prompt" }));
    expect(result.ok).toBe(false);
    expect(`${JSON.stringify(result)} ${inspect(result, { depth: null })}`).not.toContain("CANARY");
  });
});
