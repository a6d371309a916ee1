/** Whatever a provider does wrong, the fault says what, and holds nothing of the key or the prompt. */
import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ProviderFault } from "../../../src/domain/attempts.ts";
import type { Modality } from "../../../src/domain/modality.ts";
import type { ProviderRequest } from "../../../src/domain/sampling/providers.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import {
  faultyText,
  startFaultyProvider,
  type FaultyMode,
  type FaultyProvider,
} from "../../fakes/faulty-provider.ts";
import { callOf, loopbackFetch, requestOf, saying, wires } from "../../fixtures/providers/calls.ts";

const keyCanary = "sk-CANARY-key-4f1d";
const promptCanary = "CANARY-prompt-9b7e";

const expected: Record<
  Exclude<FaultyMode, "slow" | "fine">,
  Pick<ProviderFault, "retryable" | "retryAfterMs" | "billed"> & { kind: unknown }
> = {
  unauthorized: { kind: "auth", retryable: true, retryAfterMs: null, billed: "no" },
  "rate-limited": { kind: "rate_limit", retryable: true, retryAfterMs: 7_000, billed: "no" },
  broken: { kind: "server", retryable: true, retryAfterMs: null, billed: "no" },
  rejected: { kind: "invalid_request", retryable: true, retryAfterMs: null, billed: "no" },
  "unknown-model": { kind: "invalid_request", retryable: true, retryAfterMs: null, billed: "no" },
  reset: { kind: "network", retryable: true, retryAfterMs: null, billed: "maybe" },
  cut: { kind: "network", retryable: true, retryAfterMs: null, billed: "maybe" },
  garbage: { kind: "malformed", retryable: true, retryAfterMs: null, billed: "maybe" },
  misshapen: { kind: "malformed", retryable: true, retryAfterMs: null, billed: "maybe" },
  // The libraries of Gemini and of OpenAI's Responses take this for a success with every field
  // missing.
  unrelated: {
    kind: expect.stringMatching(/^(malformed|empty)$/),
    retryable: true,
    retryAfterMs: null,
    billed: "maybe",
  },
  empty: { kind: "empty", retryable: true, retryAfterMs: null, billed: "maybe" },
  silent: { kind: "empty", retryable: true, retryAfterMs: null, billed: "maybe" },
};
const statuses: Partial<Record<FaultyMode, number | null>> = {
  unauthorized: 401,
  "rate-limited": 429,
  broken: 500,
  rejected: 400,
  "unknown-model": 404,
  reset: null,
};
const modes = Object.keys(expected) as (keyof typeof expected)[];

let faulty: FaultyProvider;
beforeAll(async () => {
  faulty = await startFaultyProvider();
});
afterAll(() => faulty.stop());
beforeEach(() => faulty.clear());

interface Wire {
  provider: string;
  model: string;
  makes: Modality[];
  wants: Modality[];
}
const text: Modality[] = ["text"];
const image: Modality[] = ["image"];
const audio: Modality[] = ["audio"];
const allWires: Wire[] = [
  ...wires.map((wire) => ({ ...wire, makes: text, wants: text })),
  { provider: "openai", model: "gpt-5-pro", makes: text, wants: text },
  { provider: "openai", model: "gpt-image-1.5", makes: image, wants: image },
  { provider: "xai", model: "grok-imagine-image", makes: image, wants: image },
  { provider: "openai", model: "gpt-4o-mini-tts", makes: audio, wants: audio },
  { provider: "groq", model: "playai-tts", makes: audio, wants: audio },
  { provider: "google", model: "gemini-2.5-flash-preview-tts", makes: audio, wants: audio },
  { provider: "google", model: "gemini-3.1-flash-image", makes: ["text", "image"], wants: image },
];
/** What a proper answer of each holds. Its words are no image, and no speech. */
const fineOf = ({ provider, wants }: Wire): object => {
  if (wants === text) return { ok: true, value: { content: [{ type: "text", text: faultyText }] } };
  if (provider === "google") return { ok: false, error: { kind: "empty" } };
  return { ok: true, value: { content: [{ type: wants[0] }] } };
};

describe.each(allWires)("$provider $model", (wire) => {
  const providers = createProviders({ fetch: loopbackFetch, demo: false, now: Date.now });
  const request = (signal = new AbortController().signal): ProviderRequest =>
    requestOf(wire, {
      baseUrl: faulty.url(wire.provider),
      apiKey: keyCanary,
      signal,
      model: { outputModalities: wire.makes },
      call: callOf({
        outputModalities: wire.wants,
        systemPrompt: `system ${promptCanary}`,
        ...saying({ type: "text", text: `user ${promptCanary}` }),
      }),
    });

  const clean = (value: unknown): void => {
    const told = `${JSON.stringify(value)} ${inspect(value, {
      depth: null,
      showHidden: true,
      getters: true,
    })}`;
    expect(told).not.toContain("CANARY");
  };

  it.each(modes)("%s", async (mode) => {
    faulty.setMode(mode);
    const result = await providers.complete(request());
    expect(result).toMatchObject({ ok: false, error: expected[mode] });
    if (result.ok) return;
    if (statuses[mode] !== undefined) expect(result.error.status).toBe(statuses[mode]);
    clean(result);
    // Both canaries were sent, and once only: no retry hides in the library.
    const [sent, ...more] = faulty.requests();
    expect(more).toEqual([]);
    expect(sent?.body).toContain(promptCanary);
    expect(JSON.stringify(sent?.headers)).toContain(keyCanary);
  });

  it("a deadline", async () => {
    faulty.setMode("slow");
    const result = await providers.complete(request(AbortSignal.timeout(50)));
    expect(result).toMatchObject({
      ok: false,
      error: {
        kind: "timeout",
        status: null,
        retryable: true,
        retryAfterMs: null,
        billed: "maybe",
      },
    });
    clean(result);
  });

  it.each([undefined, new Error(promptCanary), "just so"])("a cancellation: %s", async (reason) => {
    faulty.setMode("slow");
    const controller = new AbortController();
    const pending = providers.complete(request(controller.signal));
    setTimeout(() => controller.abort(reason), 50);
    const result = await pending;
    expect(result).toMatchObject({
      ok: false,
      error: {
        kind: "cancelled",
        status: null,
        retryable: false,
        retryAfterMs: null,
        billed: "maybe",
      },
    });
    clean(result);
  });

  it("a refused connection was never billed", async () => {
    const gone = await startFaultyProvider();
    await gone.stop();
    const { credential, ...rest } = request();
    const baseUrl = gone.url(wire.provider);
    const refused = await providers.complete({ ...rest, credential: { ...credential, baseUrl } });
    expect(refused).toMatchObject({
      ok: false,
      error: { kind: "network", status: null, retryable: true, billed: "no" },
    });
    clean(refused);
  });

  it("a call without a fault succeeds", async () => {
    faulty.setMode("fine");
    const result = await providers.complete(request());
    expect(result).toMatchObject(fineOf(wire));
    if (result.ok) expect(result.value.stopReason).toBe("endTurn");
    // OpenAI's speech endpoint reports no tokens.
    if (result.ok && wire.wants !== audio)
      expect(result.value.usage).toMatchObject({
        inputTokens: 12,
        outputTokens: 5,
        estimated: false,
      });
    clean(result);
  });
});
