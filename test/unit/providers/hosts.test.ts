/** Each known server is called at its address, its errors are understood, and its list says what it is. */
import { describe, expect, it } from "vitest";
import { hostAt, hosts } from "../../../src/domain/models/hosts.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { answerAt } from "../../fakes/wire-answers.ts";
import { refusalAt } from "../../fakes/strict-wires.ts";
import { requestOf } from "../../fixtures/providers/calls.ts";

const names = [...hosts.keys()];

function given(answer: (body: Record<string, unknown>) => Response) {
  const sent: string[] = [];
  const providers = createProviders({
    fetch: async (url, init) => {
      sent.push(String(url));
      return answer(init?.body === undefined ? {} : JSON.parse(String(init.body)));
    },
    demo: false,
    now: () => 0,
  });
  return { providers, sent };
}

describe.each(names)("%s", (provider) => {
  const baseUrl = hosts.get(provider)?.baseUrl ?? null;
  const at = baseUrl ?? "http://127.0.0.1:8000/v1";
  const request = requestOf({ provider, model: "m" }, { baseUrl: baseUrl === null ? at : null });

  it("is sent what a strict server of OpenAI's wire takes, and understood", async () => {
    const { providers, sent } = given((body) => {
      const refusal = refusalAt("compatible", { body: body as never, model: "m" });
      return refusal === null
        ? Response.json(answerAt("compatible", { text: "hello" }))
        : Response.json(refusal.body, { status: refusal.status });
    });
    expect(await providers.complete(request)).toMatchObject({
      ok: true,
      value: { content: [{ type: "text", text: "hello" }] },
    });
    expect(sent).toEqual([`${at}/chat/completions`]);
  });

  it("names the page that says so", () => {
    expect(hosts.get(provider)?.source).toMatch(/^https:\/\//);
  });
});

it.each([
  ["moonshot", 429, { type: "exceeded_current_quota_error" }, "no_credit"],
  ["moonshot", 429, { type: "engine_overloaded_error" }, "overloaded"],
  ["moonshot", 429, { type: "rate_limit_reached_error" }, "rate_limited"],
  [
    "moonshot",
    400,
    { message: "Invalid request: Your request exceeded model token limit: 262144" },
    "context_length",
  ],
  ["dashscope", 400, { code: "Arrearage", type: "Arrearage" }, "no_credit"],
  ["dashscope", 400, { code: "data_inspection_failed" }, "content_filter"],
  ["dashscope", 404, { code: "model_not_found" }, "model_not_found"],
  [
    "litellm",
    400,
    { type: "budget_exceeded", message: "Budget has been exceeded!" },
    "spend_limit",
  ],
  ["huggingface", 402, "You have exceeded your monthly included credits", "no_credit"],
  ["nvidia", 403, { message: "Authorization failed" }, undefined],
  ["perplexity", 401, null, "invalid_key"],
  [
    "vllm",
    400,
    { message: "This model's maximum context length is 4096 tokens" },
    "context_length",
  ],
  ["lmstudio", 404, { message: "model 'x' not found" }, "model_not_found"],
  ["llamacpp", 503, { message: "Loading model" }, undefined],
] as const)("an error of %s, %d %j, is %s", async (provider, status, error, code) => {
  const { providers } = given(() => Response.json({ error }, { status }));
  const failed = await providers.complete(
    requestOf({ provider, model: "m" }, { baseUrl: "http://127.0.0.1:1/v1" }),
  );
  expect(failed).toMatchObject({ ok: false, error: { status } });
  expect(failed.ok ? null : failed.error.code).toBe(code);
});

it.each([
  ["https://api.moonshot.cn/v1", "moonshot"],
  ["https://dashscope-us.aliyuncs.com/compatible-mode/v1", "dashscope"],
  ["https://ws-1.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1", "dashscope"],
  ["https://integrate.api.nvidia.com/v1", "nvidia"],
  ["https://router.huggingface.co/v1", "huggingface"],
  ["https://api.perplexity.ai", "perplexity"],
  ["https://gateway.ai.cloudflare.com/v1/a/g/compat", "cloudflare-ai-gateway"],
  ["https://maas.aliyuncs.com.example/v1", null],
  ["https://api.moonshot.ai.example/v1", null],
  ["not a URL", null],
  [null, null],
])("the address %s is that of %s", (baseUrl, host) => {
  expect(hostAt(baseUrl)).toBe(host);
});

it("Perplexity's list is that of another API, so it isn't read", async () => {
  const { providers, sent } = given(() => Response.json({ data: [{ id: "m" }] }));
  const credential = { provider: "perplexity", apiKey: "k", baseUrl: null };
  expect(await providers.listModels(credential, AbortSignal.timeout(1_000))).toBeNull();
  expect(sent).toEqual([]);
});

describe("a list of models", () => {
  const hostOf = async (owners: unknown[], headers: Record<string, string> = {}, created = 1) => {
    const data = owners.map((owned_by, at) => ({ id: `m-${at}`, owned_by, created }));
    const { providers } = given(() => Response.json({ object: "list", data }, { headers }));
    const credential = { provider: "mine", apiKey: "k", baseUrl: "http://127.0.0.1:1/v1" };
    return (await providers.listModels(credential, AbortSignal.timeout(1_000)))?.host;
  };

  it.each([
    ["vllm", ["vllm"], {}],
    ["llamacpp", ["llamacpp"], {}],
    ["lmstudio", ["organization_owner", "organization_owner"], {}],
    ["ollama", ["library"], {}],
    ["moonshot", ["moonshot"], {}],
    ["litellm", ["openai", "anthropic"], {}, 1_677_610_602],
    ["cloudflare-ai-gateway", ["openai"], { "cf-aig-log-id": "01" }],
  ] as const)("shows %s", async (host, owners, headers, created?: number) => {
    expect(await hostOf([...owners], headers, created)).toBe(host);
  });

  it("of another server, or of several, shows none", async () => {
    expect(await hostOf(["openai"])).toBeUndefined();
    expect(await hostOf(["vllm", "me"])).toBeUndefined();
    expect(await hostOf([])).toBeUndefined();
  });
});
