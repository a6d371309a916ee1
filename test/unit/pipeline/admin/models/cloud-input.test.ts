/** A tenant's cloud credential names no address, host, or identity that isn't the tenant's own. */
import { describe, expect, it } from "vitest";
import type { CloudPlace } from "../../../../../src/domain/models/cloud-place.ts";
import type { Actor } from "../../../../../src/domain/tenancy/access.ts";
import { credentialInput } from "../../../../../src/http/admin/model-schemas.ts";
import { cloudIn } from "../../../../../src/pipeline/admin/models/cloud-input.ts";
import { createInputCheck } from "../../../../../src/pipeline/admin/models/credential-input.ts";

const tenant: Actor = {
  kind: "key",
  keyId: "key_1",
  tenantId: "ten_1",
  role: "admin",
  expiresAt: null,
};
const operator: Actor = { kind: "operator" };

const azure = {
  provider: "azure",
  name: "n",
  endpoint: "https://acme.openai.azure.com",
  auth: { apiKey: "k" },
  deployments: [{ id: "d", model: "openai/gpt-5-mini" }],
};
const bedrock = {
  provider: "bedrock",
  name: "n",
  region: "us-east-1",
  auth: { accessKeyId: "AKIA", secretAccessKey: "s" },
};
const keyFile = {
  type: "service_account",
  client_email: "a@b.iam.gserviceaccount.com",
  private_key: "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n",
  token_uri: "https://thief.example/token",
};
const vertex = {
  provider: "vertex",
  name: "n",
  project: "acme",
  location: "global",
  auth: { serviceAccount: keyFile },
};

const isTaken = (input: object): boolean => credentialInput.safeParse(input).success;

describe("the schema", () => {
  it.each([azure, bedrock, vertex])("takes $provider", (input) => {
    expect(isTaken(input)).toBe(true);
  });

  it.each([
    ["the host's identity", { ...bedrock, auth: { identity: "host" } }],
    ["an instance's identity", { ...bedrock, auth: { metadata: true } }],
    ["no secret", { ...bedrock, auth: {} }],
    [
      "two ways at once",
      { ...bedrock, auth: { apiKey: "k", roleArn: "arn:aws:iam::123456789012:role/x" } },
    ],
    ["a role of no account", { ...bedrock, auth: { roleArn: "arn:aws:iam::role/x" } }],
    [
      "a user in place of a role",
      { ...bedrock, auth: { roleArn: "arn:aws:iam::123456789012:user/x" } },
    ],
    ["a region that leads elsewhere", { ...bedrock, region: "evil.example/#" }],
    ["a region with dots", { ...bedrock, region: "us-east-1.evil.example" }],
    ["a location that leads elsewhere", { ...vertex, location: "x.evil.example/" }],
    ["a project that leads elsewhere", { ...vertex, project: "../../x" }],
    ["a geography that doesn't exist", { ...bedrock, geography: "moon" }],
    [
      "a tenant of Entra's that leads elsewhere",
      { ...azure, auth: { tenantId: "../x", clientId: "c", clientSecret: "s" } },
    ],
  ])("refuses %s", (_, input) => {
    expect(isTaken(input)).toBe(false);
  });
});

describe("the use case", () => {
  it("keeps of a key file only the email and the key", () => {
    const read = cloudIn(tenant, vertex);
    expect(read).toMatchObject({ ok: true, value: { place: { cloud: "vertex" } } });
    const secret = read.ok ? String(read.value.secret) : "";
    expect(secret).toContain("BEGIN PRIVATE KEY");
    expect(secret).not.toContain("thief");
  });

  it("lets only the operator name a token server", () => {
    const tokenUrl = "https://tokens.example/token";
    for (const input of [azure, bedrock, vertex]) {
      expect(cloudIn(tenant, { ...input, tokenUrl })).toMatchObject({
        ok: false,
        error: { reason: "forbidden" },
      });
      expect(cloudIn(operator, { ...input, tokenUrl })).toMatchObject({ ok: true });
    }
  });

  it("refuses another cloud's authentication", () => {
    for (const [input, other] of [
      [azure, bedrock],
      [bedrock, vertex],
      [vertex, azure],
    ] as const)
      expect(cloudIn(tenant, { ...input, auth: other.auth })).toMatchObject({
        ok: false,
        error: { path: "auth" },
      });
  });
});

describe("an address", () => {
  const check = createInputCheck({
    providers: { problemWith: () => null },
    allowPrivateUpstreams: false,
    ownOrigins: ["https://router.example"],
  });
  const place: CloudPlace = { cloud: "azure", endpoint: azure.endpoint, auth: "apiKey" };
  const addresses = [
    "http://169.254.169.254/latest/meta-data",
    "https://169.254.169.254",
    "https://metadata.google.internal",
    "https://168.63.129.16",
    "https://[fd00:ec2::254]",
    "https://100.100.100.200",
    "https://localhost",
    "https://router.example",
    "https://0x7f000001",
  ];

  it.each(addresses)("%s is not called as an endpoint, base URL, or token server", (url) => {
    const written = { provider: "azure", baseUrl: null };
    expect(check(written, place).ok).toBe(true);
    expect(check({ ...written, baseUrl: url }, place)).toMatchObject({
      error: { path: "baseUrl" },
    });
    expect(check(written, { ...place, endpoint: url })).toMatchObject({
      error: { path: "endpoint" },
    });
    expect(check(written, { ...place, tokenUrl: url })).toMatchObject({
      error: { path: "tokenUrl" },
    });
  });
});
