/** Promises that every fake provider of the flow tests refuses what the real ones refuse. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock } from "../../fakes/aimock.ts";
import { startCachingProvider } from "../../fakes/caching-provider.ts";
import { startFaultyProvider } from "../../fakes/faulty-provider.ts";
import { startGzipBomb } from "../../fakes/gzip-bomb.ts";
import { startHoldingProvider } from "../../fakes/holding-provider.ts";
import { startMediaProvider } from "../../fakes/media-provider.ts";
import { startMeteredProvider } from "../../fakes/metered-provider.ts";
import { startRecordingProvider } from "../../fakes/recording-provider.ts";

interface Fake {
  url: string | ((provider: string) => string);
  stop(): Promise<void>;
}

const fakes: Record<string, () => Promise<Fake>> = {
  aimock: () => startAimock([]),
  caching: () => startCachingProvider({ now: () => 0 }),
  faulty: () => startFaultyProvider(),
  "gzip bomb": () => startGzipBomb(1),
  holding: () => startHoldingProvider(),
  media: () => startMediaProvider(),
  metered: () => startMeteredProvider(),
  recording: () => startRecordingProvider(),
};

const named = [{ name: "a/b", input_schema: {}, function: { name: "a/b", parameters: {} } }];
const hello = [{ role: "user", content: "hello" }];
/** By provider, a request that breaks a rule of names, with what the documentation says that it is answered. */
const nonsense = {
  openai: {
    path: "/chat/completions",
    body: { model: "gpt-4o-mini", messages: hello, tools: named },
    error: { error: { type: "invalid_request_error", param: null } },
  },
  mistral: {
    path: "/chat/completions",
    body: { model: "mistral-large-latest", messages: hello, tools: named },
    error: { object: "error", type: "invalid_request_error" },
  },
  custom: {
    path: "/chat/completions",
    body: { model: "qwen3-32b", messages: [...hello, ...hello] },
    error: { error: { message: expect.stringContaining("roles must alternate") } },
  },
  anthropic: {
    path: "/messages",
    body: { model: "claude-sonnet-4-6", max_tokens: 1, messages: hello, tools: named },
    error: { type: "error", error: { type: "invalid_request_error" } },
  },
  google: {
    path: "/models/gemini-2.5-flash:generateContent",
    body: { contents: [{ role: "user", parts: [] }] },
    error: { error: { code: 400, status: "INVALID_ARGUMENT" } },
  },
} as const;

describe.each(Object.entries(fakes))("the %s provider", (_name, start) => {
  let fake: Fake;
  beforeAll(async () => {
    fake = await start();
  });
  afterAll(() => fake.stop());

  it.each(Object.entries(nonsense))("refuses as %s does", async (provider, request) => {
    const { url } = fake;
    if (typeof url === "string" && provider !== "custom") return;
    const base = typeof url === "string" ? url : url(provider);
    const answer = await fetch(base + request.path, {
      method: "POST",
      body: JSON.stringify(request.body),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, request.error]);
  });
});

it("is the way that every fake answers for a model", () => {
  const root = join(import.meta.dirname, "../..");
  const ownServers = ["fakes", "flow", "interop", "docs"]
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith(".ts") && path !== "fakes/wire-answers.ts")
    .filter((path) => {
      const source = readFileSync(join(root, path), "utf8");
      const serves = /\b(createServer|startScriptedServer)\(/.test(source);
      const speaks = /finish_reason|finishReason|stop_reason/.test(source);
      const isStrict = /\b(startWireServer|refusalAt)\(/.test(source);
      return serves && speaks && !isStrict;
    });
  expect(ownServers).toEqual([]);
});
