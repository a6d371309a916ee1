/** Each credential is completed by its own provider and key. */
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createProviders, type ProvidersDeps } from "../../../src/providers/registry.ts";
import { createWorkersAi } from "../../../src/providers/workers-ai.ts";
import { callOf, png, requestOf, saying } from "../../fixtures/providers/calls.ts";

interface Sent {
  url: string;
  headers: Headers;
  body: Record<string, unknown>;
}

const chatAnswer = {
  id: "1",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
};

function recording(): { sent: Sent[]; fetch: typeof fetch } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      sent.push({
        url: String(input),
        headers: new Headers(init?.headers),
        body: JSON.parse(String(init?.body)),
      });
      return Response.json(chatAnswer);
    },
  };
}

const deps = (change: Partial<ProvidersDeps> = {}): ProvidersDeps => ({
  fetch: () => Promise.reject(new Error("no network here")),
  demo: true,
  now: () => 0,
  ...change,
});

it("an error status is billed as the fault table says, though the answer came", async () => {
  const billed = async (code: string): Promise<unknown> => {
    const error = { message: "no", type: "invalid_request_error", code };
    const { complete } = createProviders(
      deps({ fetch: async () => Response.json({ error }, { status: 400 }) }),
    );
    const completed = await complete(requestOf({ provider: "openai", model: "gpt-4.1" }));
    return completed.ok || completed.error.billed;
  };
  expect(await billed("unknown_parameter")).toBe("no");
  expect(await billed("content_policy_violation")).toBe("maybe");
});

describe("addressOf", () => {
  const { addressOf } = createProviders(deps());

  it.each([
    ["openai", null, { address: "api.openai.com", port: 443 }],
    ["google", "http://127.0.0.1:81/v1", { address: "127.0.0.1", port: 81 }],
    ["vllm", "http://user:CANARY@vllm.test/CANARY?key=CANARY", { address: "vllm.test", port: 80 }],
    ["vllm", null, null],
    ["demo", "https://demo.test", null],
    ["workers-ai", null, null],
  ])("%s at %s", (provider, baseUrl, address) => {
    expect(addressOf({ provider, baseUrl })).toEqual(address);
  });
});

describe("problemWith", () => {
  const { problemWith } = createProviders(deps());
  const baseUrl = null;

  it.each([
    "openai",
    "anthropic",
    "google",
    "openrouter",
    "mistral",
    "groq",
    "xai",
    "deepseek",
    "together",
    "fireworks",
    "cerebras",
    "demo",
  ])("%s needs no base URL", (provider) => {
    expect(problemWith({ provider, baseUrl })).toBeNull();
  });

  it.each(["ollama", "openai-compatible", "vllm", "constructor", "__proto__"])(
    "%s needs a base URL",
    (provider) => {
      expect(problemWith({ provider, baseUrl })).toContain("has no default base URL");
      expect(problemWith({ provider, baseUrl: "  " })).toContain("has no default base URL");
      expect(problemWith({ provider, baseUrl: "http://127.0.0.1:1/v1" })).toBeNull();
    },
  );

  it.each(["nonsense", "ftp://example.com", "javascript:alert(1)"])("refuses %s", (bad) => {
    expect(problemWith({ provider: "vllm", baseUrl: bad })).toContain("not an http or https URL");
    expect(problemWith({ provider: "openai", baseUrl: bad })).toContain("not an http or https URL");
  });

  it("says that demo or the AI binding is missing", () => {
    const bare = createProviders(deps({ demo: false }));
    expect(bare.problemWith({ provider: "demo", baseUrl })).toContain("disabled");
    expect(bare.problemWith({ provider: "workers-ai", baseUrl })).toContain("AI binding");
    const ai = { run: () => Promise.resolve({}) };
    const bound = createProviders(deps({ workersAi: createWorkersAi(ai) }));
    expect(bound.problemWith({ provider: "workers-ai", baseUrl })).toBeNull();
  });
});

describe("complete", () => {
  it("refuses without a request what problemWith names", async () => {
    const { sent, fetch } = recording();
    const providers = createProviders(deps({ fetch, demo: false }));
    for (const provider of ["vllm", "demo", "workers-ai"])
      expect(await providers.complete(requestOf({ provider, model: "m" }))).toMatchObject({
        ok: false,
        error: { kind: "invalid_request", billed: "no", status: null },
      });
    expect(sent).toEqual([]);
  });

  it.each([
    ["openrouter", "https://openrouter.ai/api/v1/chat/completions"],
    ["mistral", "https://api.mistral.ai/v1/chat/completions"],
    ["groq", "https://api.groq.com/openai/v1/chat/completions"],
    ["xai", "https://api.x.ai/v1/chat/completions"],
    ["deepseek", "https://api.deepseek.com/v1/chat/completions"],
    ["together", "https://api.together.xyz/v1/chat/completions"],
    ["fireworks", "https://api.fireworks.ai/inference/v1/chat/completions"],
    ["cerebras", "https://api.cerebras.ai/v1/chat/completions"],
    ["openai", "https://api.openai.com/v1/chat/completions"],
    ["anthropic", "https://api.anthropic.com/v1/messages"],
    ["google", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"],
  ])("%s is called at %s, whatever the environment says", async (provider, url) => {
    const names = ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"];
    for (const name of names) process.env[name] = "https://evil.example/v1";
    const { sent, fetch } = recording();
    try {
      await createProviders(deps({ fetch })).complete(requestOf({ provider, model: "m" }));
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(sent.map((request) => request.url)).toEqual([url]);
  });

  it("never takes a key from the environment", async () => {
    process.env["OPENAI_API_KEY"] = "operator-key";
    const { sent, fetch } = recording();
    try {
      const request = requestOf({ provider: "openai", model: "m" }, { apiKey: "" });
      await createProviders(deps({ fetch })).complete(request);
    } finally {
      delete process.env["OPENAI_API_KEY"];
    }
    expect(inspect([...(sent[0]?.headers ?? [])])).not.toContain("operator-key");
  });

  it("calls Ollama without a key, one step below its host", async () => {
    const { sent, fetch } = recording();
    const request = requestOf(
      { provider: "ollama", model: "llama3" },
      { apiKey: "", baseUrl: "http://127.0.0.1:11434" },
    );
    expect(await createProviders(deps({ fetch })).complete(request)).toMatchObject({ ok: true });
    expect(sent[0]?.url).toBe("http://127.0.0.1:11434/v1/chat/completions");
    expect(sent[0]?.headers.get("authorization")).toBeNull();
  });

  it("uses the Responses API only for models that need it, and stores nothing", async () => {
    const { sent, fetch } = recording();
    const providers = createProviders(deps({ fetch }));
    for (const model of ["gpt-5-pro", "gpt-5.1-codex", "o4-mini-deep-research", "gpt-5", "gpt-4o"])
      await providers.complete(requestOf({ provider: "openai", model }));
    expect(sent.map(({ url, body }) => [url.split("/v1/")[1], body["store"]])).toEqual([
      ["responses", false],
      ["responses", false],
      ["responses", false],
      ["chat/completions", false],
      ["chat/completions", false],
    ]);
  });

  it("sends neither metadata nor stop sequences that an endpoint would refuse", async () => {
    const { sent, fetch } = recording();
    const call = callOf({
      metadata: { "sampling-router/outputModalities": ["text"], tracking: "canary" },
      stopSequences: ["a", "b", "c", "d", "e"],
      temperature: 0.2,
    });
    const providers = createProviders(deps({ fetch }));
    const plain = await providers.complete(
      requestOf({ provider: "openai", model: "gpt-4o" }, { call }),
    );
    const reasoning = await providers.complete(
      requestOf(
        { provider: "openai", model: "o4-mini" },
        { call, model: { reasoning: true, temperature: false } },
      ),
    );
    expect(sent[0]?.body["stop"]).toEqual(["a", "b", "c", "d"]);
    expect(plain).toMatchObject({
      value: { notes: ["stopSequences after the first 4 left out: this model takes no more"] },
    });
    expect(sent[1]?.body).not.toHaveProperty("stop");
    expect(sent[1]?.body).not.toHaveProperty("temperature");
    expect(reasoning).toMatchObject({
      value: {
        notes: [
          "temperature left out: this model does not take it",
          "stopSequences left out: this model does not take them",
        ],
      },
    });
    expect(JSON.stringify(sent)).not.toContain("canary");
  });

  it("notes what the library itself leaves out", async () => {
    const { fetch } = recording();
    const call = callOf({ temperature: 0.2 });
    const request = requestOf({ provider: "openai", model: "o4-mini" }, { call });
    expect(await createProviders(deps({ fetch })).complete(request)).toMatchObject({
      value: { notes: ["temperature left out or changed: this model does not take it as asked"] },
    });
  });

  it("tells a format that the library refuses from a fault of the provider's", async () => {
    const { sent, fetch } = recording();
    const call = callOf(saying({ type: "audio", data: png, mimeType: "audio/ogg" }));
    const request = requestOf({ provider: "openai", model: "gpt-4o" }, { call });
    expect(await createProviders(deps({ fetch })).complete(request)).toMatchObject({
      error: { kind: "invalid_request", status: null, billed: "no", retryable: true },
    });
    expect(sent).toEqual([]);
  });

  it("calls nobody once the call has been given up", async () => {
    const { sent, fetch } = recording();
    const providers = createProviders(deps({ fetch }));
    for (const provider of ["openai", "demo"])
      expect(
        await providers.complete(
          requestOf({ provider, model: "m" }, { signal: AbortSignal.abort() }),
        ),
      ).toMatchObject({ error: { kind: "cancelled", billed: "no" } });
    expect(sent).toEqual([]);
  });
});

describe("workers-ai", () => {
  const cf = { provider: "workers-ai", model: "@cf/meta/llama-3.1-8b-instruct" };

  it("calls the binding, and says that it takes no stop sequences", async () => {
    const runs: unknown[][] = [];
    const ai = {
      run: (...args: unknown[]) => {
        runs.push(args);
        return Promise.resolve({
          response: "hi",
          usage: { prompt_tokens: 4, completion_tokens: 1 },
        });
      },
    };
    const call = callOf({ stopSequences: ["END"], systemPrompt: "Be brief." });
    const answer = await createProviders(deps({ workersAi: createWorkersAi(ai) })).complete(
      requestOf(cf, { call, apiKey: "" }),
    );
    expect(answer).toMatchObject({
      ok: true,
      value: {
        content: [{ type: "text", text: "hi" }],
        stopReason: "endTurn",
        usage: { inputTokens: 4, outputTokens: 1, estimated: false },
        notes: ["stopSequences left out: this model does not take them"],
      },
    });
    expect(runs[0]?.[0]).toBe(cf.model);
    expect(runs[0]?.[1]).toMatchObject({
      max_tokens: 100,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hello" },
      ],
    });
  });

  it("estimates usage that the binding doesn't report", async () => {
    const ai = { run: () => Promise.resolve({ response: "hi" }) };
    expect(
      await createProviders(deps({ workersAi: createWorkersAi(ai) })).complete(requestOf(cf)),
    ).toMatchObject({
      value: { usage: { estimated: true } },
    });
  });

  it("keeps no text of the error that the binding throws", async () => {
    const ai = { run: () => Promise.reject(new Error("3040: out of capacity, canary")) };
    const answer = await createProviders(deps({ workersAi: createWorkersAi(ai) })).complete(
      requestOf(cf),
    );
    expect(answer).toMatchObject({ error: { retryable: true } });
    expect(inspect(answer)).not.toContain("canary");
  });

  it("refuses models that would be billed through the operator's gateway", async () => {
    const ai = { run: () => Promise.reject(new Error("must not be called")) };
    const request = requestOf({ provider: "workers-ai", model: "openai/gpt-5" });
    expect(
      await createProviders(deps({ workersAi: createWorkersAi(ai) })).complete(request),
    ).toMatchObject({
      error: { kind: "invalid_request", billed: "no" },
    });
  });
});
