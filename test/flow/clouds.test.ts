/** A cloud's credential serves calls, and its secrets appear nowhere else. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { azureKey, entra, startAzure, type Azure } from "../fakes/azure.ts";
import { accessKey, bedrockKey, region, startAws, type Aws } from "../fakes/aws.ts";
import { adminOf, asking, callOnce, type Answered } from "../fakes/caller.ts";
import { hostUnderTest } from "../fakes/router.ts";
import { hostKey } from "../setup/shared-settings.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { keyFile, otherKey, startVertex, type Vertex } from "../fakes/vertex.ts";
import { expectProblem } from "./isolation.ts";

let router: SharedRouter;
let admin: ReturnType<typeof adminOf>;
const texts: string[] = [];
const keep = (answer: Answered): Answered => {
  texts.push(answer.text);
  return answer;
};
const operator = async (...asked: Parameters<typeof admin>): Promise<Answered> =>
  keep(await admin(...asked));

let made = 0;
async function tenant() {
  made += 1;
  const slug = `cloud-${made}`;
  const path = `/tenants/${slug}`;
  await operator("POST", "/tenants", { slug, name: slug });
  const scopes = ["sampling", "models", "tenant-admin"];
  const key = String((await admin("POST", `${path}/keys`, { name: "k", scopes })).get("key"));
  const ask = async (more: object = {}) =>
    keep(await callOnce(router, key, asking("hi", { ...more })));
  return { slug, path, key, ask, own: adminOf(router, key) };
}

beforeAll(async () => {
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
});

const counted = async (key: string): Promise<number> => {
  const answer = await fetch(`${router.url}/v1/messages/count_tokens`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: '{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"hi"}]}',
  });
  return ((await answer.json()) as { input_tokens: number }).input_tokens;
};

describe("Azure", () => {
  let azure: Azure;
  const deployments = [{ id: "prod-chat", model: "openai/gpt-5-mini" }];
  const input = (more: object = {}) => ({
    provider: "azure",
    name: "main",
    endpoint: `${azure.endpoint}/openai/v1/`,
    auth: { apiKey: azureKey },
    deployments,
    ...more,
  });
  const byEntra = () => ({ auth: entra, tokenUrl: azure.tokenUrl });

  beforeAll(async () => {
    azure = await startAzure(["prod-chat"]);
  });
  afterAll(() => azure.stop());

  it("serves a deployment by key, with the parameters and price of its base model", async () => {
    const { path, ask } = await tenant();
    const created = await operator("POST", `${path}/credentials`, input());
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      endpoint: azure.endpoint,
      deployments,
      authKind: "apiKey",
      baseUrl: null,
    });
    expect(created.body).not.toHaveProperty("auth");
    const answer = await ask();
    expect(answer.text).toContain("hello from azure");
    expect(azure.calls.at(-1)).toMatchObject({
      by: `api-key ${azureKey}`,
      body: { model: "prod-chat", max_completion_tokens: expect.any(Number) },
    });
    expect(azure.calls.at(-1)?.body).not.toHaveProperty("max_tokens");
    const [record] = (await operator("GET", `${path}/requests`)).get("data") as {
      costUsd: number;
    }[];
    expect(record?.costUsd).toBeGreaterThan(0);
    const checked = await operator(
      "POST",
      `${path}/credentials/${String(created.get("id"))}/check`,
    );
    expect(checked.body).toMatchObject({ ok: true, model: "azure/prod-chat" });
  });

  it("charges nothing for a provisioned deployment, says why, and needs no budget for it", async () => {
    const { path, ask } = await tenant();
    const [plain] = deployments;
    const provisioned = [{ ...plain, provisioned: true }];
    const add = async (more: object) =>
      operator("POST", `${path}/credentials`, input({ name: "own", ...more }));
    const price = async () => {
      const { data } = (await operator("GET", `${path}/models?limit=500`)).body as {
        data: { id: string; outputUsdPerMTok: number }[];
      };
      return data.find(({ id }) => id === "prod-chat")?.outputUsdPerMTok ?? 0;
    };
    const budget = await operator("PUT", `${path}/policy`, { limits: { usdPerDay: 0 } });
    expect(budget.status).toBe(200);
    expect((await add({ deployments: provisioned })).get("deployments")).toEqual(provisioned);
    expect(await price()).toBe(0);
    expect((await ask()).text).toContain("hello from azure");
    const [record] = (await operator("GET", `${path}/requests`)).get("data") as object[];
    expect(record).toMatchObject({
      outcome: "succeeded",
      costUsd: 0,
      usage: { inputTokens: 10 },
      attempts: [{ usage: { surcharge: { factor: 0 } } }],
    });
    // The price of the other is reserved, which the budget of 0 refuses.
    expect((await add({})).status).toBe(201);
    expect(await price()).toBeGreaterThan(0);
    expect((await ask()).text).toContain("Budget exceeded");
  });

  it("serves it by a client secret, with one token until it ends or is revoked", async () => {
    const { path, ask } = await tenant();
    expect((await operator("POST", `${path}/credentials`, input(byEntra()))).status).toBe(201);
    const before = azure.tokens.length;
    await Promise.all([ask(), ask(), ask()]);
    expect(azure.tokens).toHaveLength(before + 1);
    expect(azure.calls.at(-1)?.by).toBe(`Bearer ${azure.tokens.at(-1)}`);
    azure.revoke();
    const again = await ask();
    expect(again.text).toContain("hello from azure");
    expect(azure.tokens).toHaveLength(before + 2);
  });

  it("says which step failed", async () => {
    const { path, ask } = await tenant();
    const wrong = { ...byEntra(), auth: { ...entra, clientSecret: "wrong-CANARY" } };
    const created = await operator("POST", `${path}/credentials`, input(wrong));
    const check = async () =>
      (await operator("POST", `${path}/credentials/${String(created.get("id"))}/check`)).get(
        "fault",
      );
    expect(await check()).toMatchObject({ kind: "auth", code: "token_refused" });
    expect((await ask()).text).toContain("token server rejects the credential");
    const one = `${path}/credentials/${String(created.get("id"))}`;
    await operator("PATCH", one, { auth: { apiKey: azureKey }, endpoint: azure.endpoint });
    azure.fails(401, "PermissionDenied", "The principal `x` lacks the required data action.");
    expect(await check()).toMatchObject({ status: 401, code: "access_denied" });
    azure.fails(429, "insufficient_quota", "You exceeded your current quota.");
    expect(await check()).toMatchObject({ status: 429, code: "no_credit" });
    azure.fails(400, "content_filter", "The response was filtered.");
    expect(await check()).toMatchObject({ status: 400, code: "content_filter" });
    azure.recovers();
    await operator("PATCH", one, { deployments: [{ id: "gone", model: "openai/gpt-5-mini" }] });
    expect(await check()).toMatchObject({ status: 404, code: "model_not_found" });
  });

  it("is refused with the member that is wrong, and takes no address that its tenant may not name", async () => {
    const { path, own } = await tenant();
    const refused = async (more: object, member: string) => {
      const answer = keep(await own("POST", `${path}/credentials`, input(more)));
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe(member);
    };
    await refused({ auth: undefined }, "auth");
    await refused({ endpoint: undefined }, "endpoint");
    await refused({ apiKey: "k" }, "apiKey");
    await refused({ provider: "openai" }, "auth");
    await refused({ auth: { apiKey: "<your-key>" } }, "auth.apiKey");
    await refused({ endpoint: router.url }, "endpoint");
    await refused({ deployments: [{ id: "x", model: "openai/none" }] }, "models.0.like");
    const theft = await own("POST", `${path}/credentials`, input(byEntra()));
    expectProblem(theft, 403, "forbidden");
  });

  it("needs its secret again where the secret would go elsewhere", async () => {
    const { path } = await tenant();
    const created = await operator("POST", `${path}/credentials`, input());
    const one = `${path}/credentials/${String(created.get("id"))}`;
    const moved = await operator("PATCH", one, { endpoint: "http://127.0.0.1:9" });
    expectProblem(moved, 400, "invalid_params");
    expect(moved.get("path")).toBe("auth");
    expect((await operator("PATCH", one, { name: "other" })).get("endpoint")).toBe(azure.endpoint);
  });
});

describe("Bedrock", () => {
  let aws: Aws;
  const claude = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
  const other = "openai.gpt-oss-120b-1:0";
  const input = (more: object = {}) => ({
    provider: "bedrock",
    name: "main",
    region,
    geography: "eu",
    auth: accessKey,
    baseUrl: aws.baseUrl,
    ...more,
  });

  beforeAll(async () => {
    aws = await startAws([claude, other]);
  });
  afterAll(() => aws.stop());

  it("serves Claude by an access key, in Bedrock's form, and charges the region's price", async () => {
    const { path, ask } = await tenant();
    const created = await operator("POST", `${path}/credentials`, input());
    expect(created.body).toMatchObject({ region, geography: "eu", authKind: "accessKey" });
    const answer = await ask({ modelPreferences: { hints: [{ name: "claude-sonnet-4-5" }] } });
    expect(answer.text).toContain("hello from bedrock");
    expect(aws.calls.at(-1)).toMatchObject({
      path: `/model/${encodeURIComponent(claude)}/invoke`,
      by: accessKey.accessKeyId,
      body: { anthropic_version: "bedrock-2023-05-31" },
    });
    const models = (await operator("GET", `${path}/models?limit=500`)).get("data") as Record<
      string,
      unknown
    >[];
    const priceOf = (of: string, id: string) =>
      models.find((model) => model["provider"] === of && model["id"] === id)?.["inputUsdPerMTok"];
    expect(priceOf("bedrock", claude)).toBeCloseTo(
      Number(priceOf("anthropic", "claude-sonnet-4-5")) * 1.1,
    );
  });

  it("streams Claude's events as Anthropic does, and passes a request but for the listed members", async () => {
    const { path, key } = await tenant();
    await operator("POST", `${path}/credentials`, input({ auth: { apiKey: bedrockKey } }));
    const send = async (text: string) =>
      fetch(`${router.url}/v1/messages`, {
        method: "POST",
        headers: {
          "x-api-key": key,
          "content-type": "application/json",
          "anthropic-beta": "a-1,b-2",
        },
        body: text,
      });
    const rest = `"max_tokens" :  20, "x-own":[1 , 2],"messages":[{"role":"user","content":"hi"}]`;
    const whole = await send(`{ "model":"claude-sonnet-4-5" ,${rest}}`);
    expect(await whole.text()).toContain("hello from bedrock");
    expect(aws.calls.at(-1)).toMatchObject({
      by: "key",
      text: `{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["a-1","b-2"] ,${rest}}`,
    });
    const streamed = await (
      await send(`{${rest}, "stream":true,"model":"claude-sonnet-4-5"}`)
    ).text();
    expect(streamed).toContain('event: content_block_delta\ndata: {"type":"content_block_delta"');
    expect(streamed).toContain("event: message_stop");
    expect(aws.calls.at(-1)?.path).toMatch(/invoke-with-response-stream$/);
    aws.breaksStreams = true;
    const broken = await (await send(`{"model":"claude-sonnet-4-5","stream":true,${rest}}`)).text();
    aws.breaksStreams = false;
    expect(broken).toContain("event: error");
  });

  it("counts Claude's tokens, and estimates where it doesn't", async () => {
    const { path, key } = await tenant();
    const created = await operator("POST", `${path}/credentials`, input());
    expect(await counted(key)).toBe(4_211);
    const one = `${path}/credentials/${String(created.get("id"))}`;
    const models = [{ id: "eu.anthropic.claude-opus-4-5", like: "anthropic/claude-sonnet-4-5" }];
    await operator("PATCH", one, { models });
    expect(await counted(key)).toBeLessThan(100);
  });

  it("serves other models by OpenAI's API", async () => {
    const { path, ask } = await tenant();
    const models = [{ id: other, inputUsdPerMTok: 1, outputUsdPerMTok: 1 }];
    await operator("POST", `${path}/credentials`, input({ models, geography: null }));
    expect((await ask()).text).toContain("hello from bedrock");
    expect(aws.calls.at(-1)).toMatchObject({
      path: "/openai/v1/chat/completions",
      by: accessKey.accessKeyId,
      body: { model: other },
    });
  });

  it("says which step failed", async () => {
    const { path } = await tenant();
    const check = async (more: object) => {
      const { body } = await operator("POST", `${path}/credentials`, input(more));
      const one = `${path}/credentials/${(body as { id: string }).id}`;
      const { fault } = (await operator("POST", `${one}/check`)).body as { fault: object };
      await operator("DELETE", one);
      return fault;
    };
    const secretAccessKey = "wrong-CANARY";
    expect(await check({ auth: { ...accessKey, secretAccessKey } })).toMatchObject({
      status: 403,
      code: "wrong_signature",
    });
    expect(await check({ auth: { apiKey: "no-CANARY" } })).toMatchObject({ kind: "auth" });
    expect(await check({ models: [{ id: "eu.anthropic.claude-none" }] })).toMatchObject({
      code: "model_not_found",
    });
    aws.aheadMs = 600_000;
    expect(await check({})).toMatchObject({ status: 403, code: "wrong_clock" });
    aws.aheadMs = 0;
    for (const [status, type, message, code] of [
      [
        429,
        "ThrottlingException",
        "Too many tokens, please wait before trying again.",
        "rate_limited",
      ],
      [
        400,
        "ServiceQuotaExceededException",
        "Your request exceeds the service quota.",
        "rate_limited",
      ],
      [
        403,
        "AccessDeniedException",
        "You don't have access to the model with the specified model ID.",
        "model_not_allowed",
      ],
      [
        400,
        "ValidationException",
        "Access to Anthropic models is not allowed from unsupported countries, regions, or territories.",
        "country_not_supported",
      ],
      [
        403,
        "AccessDeniedException",
        "User: x is not authorized to perform: bedrock:InvokeModel with an explicit deny in a service control policy",
        "access_denied",
      ],
      [
        400,
        "ValidationException",
        "Invocation of model ID x with on-demand throughput isn\u2019t supported.",
        "needs_profile",
      ],
    ] as const) {
      aws.failure = { status, type, message };
      expect(await check({}), message).toMatchObject({ status, code });
    }
    aws.failure = null;
  });

  it("keeps to its region and geography", async () => {
    const { path } = await tenant();
    const refused = async (id: string) => {
      const answer = await operator("POST", `${path}/credentials`, input({ models: [{ id }] }));
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe("models.0.id");
    };
    await refused("us.anthropic.claude-sonnet-4-5-20250929-v1:0");
    await refused("global.anthropic.claude-sonnet-4-5-20250929-v1:0");
    await refused("arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.x");
    await refused(`arn:aws:bedrock:${region}:123456789012:inference-profile/global.anthropic.x`);
    await refused("eu.amazon.nova-lite-v1:0");
    for (const [more, member] of [
      [{ region: "us-gov-west-1" }, "geography"],
      [{ region: "cn-north-1" }, "geography"],
      [{ geography: "us-gov" }, "geography"],
      [{ region: "us-iso-east-1", geography: null }, "region"],
      [{ auth: { roleArn: "arn:aws-cn:iam::123456789012:role/x" } }, "auth.roleArn"],
    ] as const)
      expect((await operator("POST", `${path}/credentials`, input(more))).get("path")).toBe(member);
  });

  it("calls as the router's machine on Node, and on Workers refuses it with the way out", async () => {
    const { path, own } = await tenant();
    const hosts = { auth: { hostIdentity: true }, models: [{ id: claude }] };
    const created = await operator("POST", `${path}/credentials`, input(hosts));
    if (hostUnderTest === "workerd") {
      expectProblem(created, 403, "forbidden");
      return expect(created.text).toContain("use a key");
    }
    expect(created.body).toMatchObject({ authKind: "hostIdentity" });
    const check = `${path}/credentials/${String(created.get("id"))}/check`;
    expect((await operator("POST", check)).body).toMatchObject({ ok: true });
    expect(aws.calls.at(-1)?.by).toBe(hostKey.accessKeyId);
    const theft = keep(await own("POST", `${path}/credentials`, input({ ...hosts, name: "x" })));
    expectProblem(theft, 403, "forbidden");
    expect(theft.text).toContain("baseUrl");
  });

  it("assumes a role that trusts the operator and its tenant, and no other", async () => {
    const { path, slug, own, ask } = await tenant();
    const roleArn = "arn:aws:iam::123456789012:role/sampling";
    const mine = input({ auth: { roleArn }, tokenUrl: aws.tokenUrl, models: [{ id: claude }] });
    const created = await operator("POST", `${path}/credentials`, mine);
    const externalId = String(created.get("externalId"));
    const { id } = (await operator("GET", `/tenants/${slug}`)).body as { id: string };
    expect(externalId).toBe(`sampling-router:${id}`);
    const check = `${path}/credentials/${String(created.get("id"))}/check`;
    expect((await operator("POST", check)).get("fault")).toMatchObject({ code: "role_refused" });
    expect((await ask()).text).toContain("externalId");
    aws.roles.set(roleArn, externalId);
    // Any change of the secret asks again.
    const one = `${path}/credentials/${String(created.get("id"))}`;
    await operator("PATCH", one, { auth: { roleArn } });
    expect((await ask()).text).toContain("hello from bedrock");
    const before = aws.sessions.length;
    expect((await ask()).text).toContain("hello from bedrock");
    expect(aws.sessions).toHaveLength(before);
    aws.endSessions();
    expect((await ask()).text).toContain("hello from bedrock");
    expect(aws.sessions).toHaveLength(before + 1);
    const theirs = await tenant();
    const theft = await operator("POST", `${theirs.path}/credentials`, mine);
    const stolen = `${theirs.path}/credentials/${String(theft.get("id"))}/check`;
    expect((await operator("POST", stolen)).get("fault")).toMatchObject({ code: "role_refused" });
    expectProblem(await own("POST", `${path}/credentials`, mine), 403, "forbidden");
  });
});

describe("Vertex", () => {
  let vertex: Vertex;
  const claude = "claude-sonnet-4-5@20250929";
  const gemini = "gemini-2.5-flash";
  const input = (more: object = {}) => ({
    provider: "vertex",
    name: "main",
    project: "acme",
    location: "europe-west1",
    auth: { serviceAccount: keyFile },
    baseUrl: vertex.baseUrl,
    tokenUrl: vertex.tokenUrl,
    ...more,
  });
  const prefer = (name: string) => ({ modelPreferences: { hints: [{ name }] } });

  beforeAll(async () => {
    vertex = await startVertex([claude, gemini]);
  });
  afterAll(() => vertex.stop());

  it("serves Gemini and Claude with one token, whatever the key file's token_uri says", async () => {
    const { path, ask } = await tenant();
    const created = await operator("POST", `${path}/credentials`, input());
    expect(created.body).toMatchObject({ project: "acme", authKind: "serviceAccount" });
    expect((await ask(prefer("gemini-2.5-flash"))).text).toContain("hello from vertex");
    const root = "/v1/projects/acme/locations/europe-west1/publishers";
    expect(vertex.calls.at(-1)?.path).toBe(`${root}/google/models/${gemini}:generateContent`);
    expect((await ask(prefer("claude-sonnet-4-5"))).text).toContain("hello from vertex");
    expect(vertex.calls.at(-1)?.path).toBe(`${root}/anthropic/models/${claude}:rawPredict`);
    expect(vertex.tokens).toHaveLength(1);
    vertex.revoke();
    expect((await ask(prefer("gemini-2.5-flash"))).text).toContain("hello from vertex");
    expect(vertex.tokens).toHaveLength(2);
  });

  it("counts Claude's tokens", async () => {
    const { path, key } = await tenant();
    await operator("POST", `${path}/credentials`, input());
    expect(await counted(key)).toBe(4_211);
  });

  it("has the price of its location, and the dearer one where two serve a model", async () => {
    const { path } = await tenant();
    const price = async () => {
      const models = (await operator("GET", `${path}/models?limit=500`)).get("data") as Record<
        string,
        unknown
      >[];
      return models.find(({ provider, id }) => provider === "vertex" && id === claude)?.[
        "inputUsdPerMTok"
      ];
    };
    await operator("POST", `${path}/credentials`, input({ location: "global" }));
    expect(await price()).toBe(3);
    await operator("POST", `${path}/credentials`, input({ name: "eu" }));
    expect(await price()).toBe(3.3);
  });

  it("says which step failed, and that the clock is wrong", async () => {
    const { path, ask } = await tenant();
    const created = await operator("POST", `${path}/credentials`, input());
    const one = `${path}/credentials/${String(created.get("id"))}`;
    const check = async () => (await operator("POST", `${one}/check`)).get("fault");
    vertex.aheadMs = -7_200_000;
    expect(await check()).toMatchObject({ kind: "auth", code: "wrong_clock" });
    expect((await ask()).text).toContain("correct the clock");
    vertex.aheadMs = 0;
    const stolen = { ...keyFile, private_key: otherKey };
    await operator("PATCH", one, { auth: { serviceAccount: JSON.stringify(stolen) } });
    expect(await check()).toMatchObject({ code: "token_refused" });
  });

  it("refuses key files that aren't a service account's", async () => {
    const { path } = await tenant();
    for (const serviceAccount of [
      {
        ...keyFile,
        type: "external_account",
        credential_source: { url: "http://169.254.169.254/" },
      },
      { ...keyFile, private_key: "-----BEGIN RSA PRIVATE KEY-----" },
      "not JSON",
    ]) {
      const answer = await operator(
        "POST",
        `${path}/credentials`,
        input({ auth: { serviceAccount } }),
      );
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe("auth.serviceAccount");
    }
  });
});

it("no secret and no token is in an answer, a list, the event log, an export, or the log", async () => {
  for (const path of ["/events", "/tenants"]) await operator("GET", path);
  for (let at = 1; at <= made; at += 1) {
    await operator("GET", `/tenants/cloud-${at}/credentials`);
    await operator("GET", `/tenants/cloud-${at}/requests/export?format=ndjson`);
  }
  const seen = [...texts, await printedByRouter()].join("\n");
  for (const secret of ["CANARY", "PRIVATE KEY-----", keyFile.private_key.slice(40, 80)])
    expect(seen).not.toContain(secret);
});
