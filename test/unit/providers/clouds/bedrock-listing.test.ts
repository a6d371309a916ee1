/** What Bedrock lists for a region: models that are called directly, and all inference profiles. */
import { describe, expect, it } from "vitest";
import type { CloudPlace } from "../../../../src/domain/models/cloud-place.ts";
import { createProviders } from "../../../../src/providers/registry.ts";

const place: CloudPlace = {
  cloud: "bedrock",
  region: "eu-west-1",
  geography: "eu",
  auth: "accessKey",
};

const models = {
  modelSummaries: [
    { modelId: "openai.gpt-oss-120b-1:0", inferenceTypesSupported: ["ON_DEMAND"] },
    { modelId: "anthropic.claude-sonnet-4-6", inferenceTypesSupported: ["INFERENCE_PROFILE"] },
    { modelId: 7 },
  ],
};
const profiles = [
  {
    inferenceProfileSummaries: [{ inferenceProfileId: "eu.anthropic.claude-sonnet-4-6" }],
    nextToken: "two/+=",
  },
  { inferenceProfileSummaries: [{ inferenceProfileId: "global.anthropic.claude-opus-4-6-v1" }] },
];

async function listed(
  answer: (url: URL) => object | null,
  credential: { place?: CloudPlace; baseUrl?: string } = {},
) {
  const sent: { url: URL; headers: Headers }[] = [];
  const { listModels } = createProviders({
    fetch: async (input, init) => {
      const url = new URL(String(input));
      sent.push({ url, headers: new Headers(init?.headers) });
      const body = answer(url);
      return body === null ? new Response("{}", { status: 403 }) : Response.json(body);
    },
    demo: false,
    now: () => 0,
  });
  const read = await listModels(
    {
      provider: "bedrock",
      apiKey: "",
      baseUrl: credential.baseUrl ?? null,
      place: credential.place ?? place,
      aws: { accessKeyId: "AKIA", secretAccessKey: "secret" },
    },
    AbortSignal.timeout(5_000),
  );
  return { read, sent };
}

const whole = (url: URL): object | null =>
  url.pathname === "/foundation-models"
    ? models
    : (profiles[url.searchParams.has("nextToken") ? 1 : 0] ?? null);

describe("Bedrock's list", () => {
  it("has models that are called directly, and profiles page by page, by signed requests", async () => {
    const { read, sent } = await listed(whole);
    expect(read).toEqual({
      ids: [
        "openai.gpt-oss-120b-1:0",
        "eu.anthropic.claude-sonnet-4-6",
        "global.anthropic.claude-opus-4-6-v1",
      ],
      isComplete: true,
    });
    expect(sent.map(({ url }) => `${url.hostname}${url.pathname}`)).toEqual([
      "bedrock.eu-west-1.amazonaws.com/foundation-models",
      "bedrock.eu-west-1.amazonaws.com/inference-profiles",
      "bedrock.eu-west-1.amazonaws.com/inference-profiles",
    ]);
    expect(sent[2]?.url.searchParams.get("nextToken")).toBe("two/+=");
    for (const { headers } of sent)
      expect(headers.get("authorization")).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIA.*bedrock/);
  });

  it("is none without the permission, and incomplete with half of it", async () => {
    expect((await listed(() => null)).read).toBeNull();
    const half = await listed((url) => (url.pathname === "/foundation-models" ? models : null));
    expect(half.read).toMatchObject({ isComplete: false });
  });

  it("ends with pages that never end", async () => {
    const { read, sent } = await listed((url) =>
      url.pathname === "/foundation-models" ? models : (profiles[0] ?? null),
    );
    expect(read?.isComplete).toBe(false);
    expect(sent.length).toBeLessThan(30);
  });

  it("isn't read at another address, where the runtime alone is", async () => {
    const { read, sent } = await listed(whole, { baseUrl: "https://vpce.example" });
    expect([read, sent]).toEqual([null, []]);
  });

  it.each([
    { cloud: "azure", endpoint: "https://acme.openai.azure.com", auth: "apiKey" },
    { cloud: "vertex", project: "p", location: "global", auth: "serviceAccount" },
  ] as const)("has no counterpart at $cloud", async (elsewhere) => {
    const { read, sent } = await listed(whole, { place: elsewhere });
    expect([read, sent]).toEqual([null, []]);
  });
});
