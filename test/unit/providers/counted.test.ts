/** Tokens are counted by the API of the place that serves the model, in that API's form. */
import { describe, expect, it } from "vitest";
import type { CloudPlace } from "../../../src/domain/models/cloud-place.ts";
import { readModelRequest } from "../../../src/mcp/json-text/model-request.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { modelOf } from "../../fixtures/providers/calls.ts";

const bedrock: CloudPlace = {
  cloud: "bedrock",
  region: "eu-west-1",
  geography: "eu",
  auth: "accessKey",
};
const vertex: CloudPlace = {
  cloud: "vertex",
  project: "acme",
  location: "global",
  auth: "serviceAccount",
};

const asked = '{"messages":[{"role":"user","content":"hé"}],"model":"auto","x":[1 , 2]}';

interface Counting {
  place: CloudPlace | null;
  model: string;
  text?: string;
  answer: () => Response;
}

async function counted({ place, model, text = asked, answer }: Counting) {
  const body = readModelRequest(new TextEncoder().encode(text));
  if (!body.ok) throw new Error(text);
  const sent: { url: string; headers: Headers; body: string }[] = [];
  const { countTokens } = createProviders({
    fetch: async (url, init) => {
      const written = await new Response(init?.body).text();
      sent.push({ url: String(url), headers: new Headers(init?.headers), body: written });
      return answer();
    },
    demo: false,
    now: () => 0,
  });
  const provider = place?.cloud ?? "anthropic";
  const count = await countTokens({
    credential: {
      provider,
      apiKey: "key",
      baseUrl: null,
      place,
      ...(place?.cloud === "bedrock" && {
        aws: { accessKeyId: "AKIA", secretAccessKey: "secret" },
      }),
    },
    model: modelOf(provider, model, { like: "anthropic/claude-sonnet-4-5" }),
    passed: { endpoint: "messages", body: body.value, headers: {}, addsLimit: false },
    signal: AbortSignal.timeout(5_000),
  });
  return { count, sent: sent[0] };
}

describe("a count", () => {
  it("of Anthropic is passed on as it is", async () => {
    const { count, sent } = await counted({
      place: null,
      model: "claude-sonnet-4-5",
      answer: () => new Response('{ "input_tokens":7 }'),
    });
    expect(count).toBe('{ "input_tokens":7 }');
    expect(sent?.url).toBe("https://api.anthropic.com/v1/messages/count_tokens");
    expect(sent?.body).toBe(asked.replace("auto", "claude-sonnet-4-5"));
  });

  it.each([
    ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ["anthropic.claude-sonnet-4-5-20250929-v1:0"],
    [
      "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ],
  ])("of Bedrock for %s is asked for the foundation model", async (model) => {
    const { count, sent } = await counted({
      place: bedrock,
      model,
      answer: () => Response.json({ inputTokens: 12 }),
    });
    expect(count).toBe('{"input_tokens":12}');
    expect(sent?.url).toBe(
      "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens",
    );
    expect(sent?.headers.get("authorization")).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(sent?.headers.has("x-api-key")).toBe(false);
    const { input } = JSON.parse(sent?.body ?? "") as { input: { invokeModel: { body: string } } };
    expect(Buffer.from(input.invokeModel.body, "base64").toString()).toBe(
      // InvokeModel requires a limit.
      '{"max_tokens":8000,"anthropic_version":"bedrock-2023-05-31","messages":[{"role":"user","content":"hé"}],"x":[1 , 2]}',
    );
  });

  it("of Vertex is asked for with the model in the body", async () => {
    const { count, sent } = await counted({
      place: vertex,
      model: "claude-sonnet-4-5@20250929",
      answer: () => Response.json({ input_tokens: 9 }),
    });
    expect(count).toBe('{"input_tokens":9}');
    expect(sent?.url).toBe(
      "https://aiplatform.googleapis.com/v1/projects/acme/locations/global/publishers/anthropic/models/count-tokens:rawPredict",
    );
    expect(sent?.headers.get("authorization")).toBe("Bearer key");
    expect(JSON.parse(sent?.body ?? "")).toEqual({
      anthropic_version: "vertex-2023-10-16",
      model: "claude-sonnet-4-5@20250929",
      messages: [{ role: "user", content: "hé" }],
      x: [1, 2],
    });
  });

  it.each([
    [
      "a refusal",
      () => Response.json({ message: "The provided model doesn't support" }, { status: 400 }),
    ],
    ["another shape", () => Response.json({ tokens: 3 })],
    ["a page", () => new Response("<html>")],
    ["a count below zero", () => Response.json({ inputTokens: -1, input_tokens: -1 })],
  ])("is none where the answer is %s", async (_, answer) => {
    for (const [place, model] of [
      [bedrock, "anthropic.claude-sonnet-4-5"],
      [vertex, "claude-sonnet-4-5"],
      [null, "claude-sonnet-4-5"],
    ] as const)
      expect((await counted({ place, model, answer })).count).toBeNull();
  });
});
