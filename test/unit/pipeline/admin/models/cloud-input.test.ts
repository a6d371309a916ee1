/** A tenant's cloud credential names no address, host, or identity that isn't the tenant's own. */
import { describe, expect, it } from "vitest";
import type { CloudPlace } from "../../../../../src/domain/models/cloud-place.ts";
import {
  createHostIdentityProblem,
  parseHostIdentity,
} from "../../../../../src/domain/tenancy/host-identity.ts";
import type { Actor } from "../../../../../src/domain/tenancy/access.ts";
import { credentialInput } from "../../../../../src/http/admin/model-schemas.ts";
import { cloudIn } from "../../../../../src/pipeline/admin/models/cloud-input.ts";
import { checkHostIdentity } from "../../../../../src/pipeline/admin/models/host-identity-input.ts";
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

describe("the identity of the router's machine", () => {
  const auth = { hostIdentity: true } as const;
  const problemOf = createHostIdentityProblem(
    { tenants: new Set(["ten_1"]), assumesRoles: false },
    { isPresent: true },
  );
  const check = (
    actor: Actor,
    input: object,
    { before = null, tenantId = "ten_1" }: { before?: object | null; tenantId?: string } = {},
  ) => {
    const kept = before as { place: CloudPlace; baseUrl: string | null } | null;
    const written = {
      baseUrl: kept?.baseUrl ?? null,
      provider: "azure",
      ...input,
    } as typeof azure & {
      baseUrl: string | null;
    };
    const read = cloudIn(actor, written, kept?.place);
    if (!read.ok) throw new Error("unreadable");
    const { place } = read.value;
    const { baseUrl } = written;
    const result = checkHostIdentity(actor, {
      place,
      baseUrl,
      before: kept,
      problem: problemOf(tenantId),
    });
    return result.ok ? "allowed" : result.error.reason === "forbidden" && result.error.action;
  };
  const evil = "https://evil.example";

  it.each([
    { ...azure, auth },
    { ...bedrock, auth },
    { ...vertex, auth },
  ])("is $provider's credential of a tenant only if the operator allows it", (input) => {
    expect(isTaken(input)).toBe(true);
    expect(check(tenant, input)).toBe("allowed");
    expect(check(tenant, input, { tenantId: "ten_2" })).toContain(
      "add ten_2 to HOST_IDENTITY_TENANTS",
    );
    // The setting lists tenants, so it applies to the operator too.
    expect(check(operator, input, { tenantId: "ten_2" })).toContain("HOST_IDENTITY_TENANTS");
    expect(check(tenant, { ...input, baseUrl: evil })).toContain("baseUrl");
    expect(check(operator, { ...input, baseUrl: evil })).toBe("allowed");
  });

  it("is refused on a host without one, with the way out", () => {
    const everyone = { tenants: new Set(["*"]), assumesRoles: true };
    expect(createHostIdentityProblem(everyone, { isPresent: true })("ten_9")).toBeNull();
    expect(createHostIdentityProblem(everyone, { isPresent: false })("ten_9")).toContain(
      "use a key",
    );
  });

  it.each([evil, "https://openai.azure.com.evil.example", "https://evilopenai.azure.com"])(
    "is not sent to %s as an endpoint",
    (endpoint) => {
      expect(check(tenant, { ...azure, auth, endpoint })).toContain("outside of Azure");
    },
  );

  it("is not sent to an address that a tenant set before", () => {
    const place = { cloud: "azure", endpoint: evil, auth: "apiKey" };
    expect(check(tenant, { auth }, { before: { place, baseUrl: null } })).toContain("outside");
    const own = { ...place, endpoint: azure.endpoint };
    expect(check(tenant, { auth }, { before: { place: own, baseUrl: evil } })).toContain("baseUrl");
    // The operator's address stays.
    const operators = { place: { ...place, auth: "hostIdentity" }, baseUrl: evil };
    expect(check(tenant, { auth }, { before: operators })).toBe("allowed");
    const moved = { auth, endpoint: "https://other.example" };
    expect(check(tenant, moved, { before: operators })).toContain("outside");
  });

  it.each([
    ["ten_1, ten_2", new Set(["ten_1", "ten_2"])],
    ["*", new Set(["*"])],
    ["", new Set()],
    [undefined, new Set()],
  ])("is allowed for %j", (HOST_IDENTITY_TENANTS, tenants) => {
    const env = HOST_IDENTITY_TENANTS === undefined ? {} : { HOST_IDENTITY_TENANTS };
    expect(parseHostIdentity(env)).toEqual({ ok: true, value: { tenants, assumesRoles: false } });
  });

  it("is not allowed by a tenant's slug, which another tenant may get later", () => {
    expect(parseHostIdentity({ HOST_IDENTITY_TENANTS: "acme" })).toMatchObject({
      error: { setting: "HOST_IDENTITY_TENANTS" },
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
