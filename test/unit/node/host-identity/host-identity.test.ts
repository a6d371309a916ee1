/** The machine's identity comes from each cloud's own server, asked as its documentation says, and from no other. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CloudPlace } from "../../../../src/domain/models/cloud-place.ts";
import { createHostIdentity } from "../../../../src/node/host-identity/host-identity.ts";

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: string | object;
}
type Said = Answer | undefined;

const now = 1_800_000_000_000;
const expiration = new Date(now + 3_600_000).toISOString();
const asked: { request: IncomingMessage; body: string }[] = [];
let answers: (request: IncomingMessage, body: string) => Said;
let origin = "";
let stop = async (): Promise<void> => {};

beforeEach(async () => {
  asked.length = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => {
      const text = Buffer.concat(parts).toString();
      asked.push({ request, body: text });
      const { status = 200, headers, body } = answers(request, text) ?? { status: 404, body: "" };
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(() => stop());

const places = {
  azure: { cloud: "azure", endpoint: "https://a.openai.azure.com", auth: "hostIdentity" },
  bedrock: { cloud: "bedrock", region: "eu-central-1", geography: "eu", auth: "hostIdentity" },
  vertex: { cloud: "vertex", project: "p", location: "global", auth: "hostIdentity" },
} as const satisfies Record<string, CloudPlace>;

const identityOf = (
  cloud: keyof typeof places,
  env: Record<string, string>,
  files: Record<string, string> = {},
) =>
  createHostIdentity({
    platform: env,
    fetch,
    now: () => now,
    readText: async (path) => {
      const text = files[path];
      if (text === undefined) throw new Error("ENOENT");
      return text;
    },
  })(places[cloud]);

const session = {
  AccessKeyId: "ASIAHOST",
  SecretAccessKey: "secret",
  Token: "session",
  Expiration: expiration,
};
const granted = {
  ok: true,
  value: {
    token: JSON.stringify({
      accessKeyId: "ASIAHOST",
      secretAccessKey: "secret",
      sessionToken: "session",
    }),
    expiresAt: Date.parse(expiration),
  },
};

describe("AWS", () => {
  it("takes keys of the environment first, and reads them again later", async () => {
    const env = {
      AWS_ACCESS_KEY_ID: "AKIA",
      AWS_SECRET_ACCESS_KEY: "s",
      AWS_WEB_IDENTITY_TOKEN_FILE: "/t",
      AWS_ROLE_ARN: "r",
    };
    expect(await identityOf("bedrock", env)).toEqual({
      ok: true,
      value: {
        token: JSON.stringify({ accessKeyId: "AKIA", secretAccessKey: "s" }),
        expiresAt: now + 900_000,
      },
    });
    expect(asked).toEqual([]);
  });

  const webIdentity = () => ({
    AWS_WEB_IDENTITY_TOKEN_FILE: "/var/token",
    AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/pod",
    AWS_ENDPOINT_URL_STS: `${origin}/`,
  });
  const file = { "/var/token": "eyJ.pod.token\n" };
  const xmlOf = (inside: string) => ({ headers: { "content-type": "text/xml" }, body: inside });

  it("exchanges a pod's token, unsigned, for a session of its role", async () => {
    answers = () =>
      xmlOf(
        `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIAHOST</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
    expect(await identityOf("bedrock", webIdentity(), file)).toEqual(granted);
    const [{ request, body } = { request: null, body: "" }] = asked;
    expect(request?.method).toBe("POST");
    expect(request?.headers.authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: "arn:aws:iam::123456789012:role/pod",
      RoleSessionName: "sampling-router",
      WebIdentityToken: "eyJ.pod.token",
    });
  });

  it.each([
    ["AccessDenied", "role_refused"],
    ["ExpiredTokenException", "invalid_client"],
  ])("says that the exchange was refused with %s", async (code, fault) => {
    answers = () => ({
      ...xmlOf(`<ErrorResponse><Error><Code>${code}</Code></Error></ErrorResponse>`),
      status: 403,
    });
    expect(await identityOf("bedrock", webIdentity(), file)).toEqual({ ok: false, error: fault });
  });

  it("has no identity if the token's file is missing", async () => {
    expect(await identityOf("bedrock", webIdentity())).toEqual({
      ok: false,
      error: "no_host_identity",
    });
  });

  it("asks a container's endpoint with the token of the file", async () => {
    answers = ({ headers, url }) =>
      url === "/creds" && headers.authorization === "pod-token"
        ? { body: session }
        : { status: 401, body: "" };
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/creds`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "stale",
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/pod",
    };
    expect(await identityOf("bedrock", env, { "/pod": "pod-token\n" })).toEqual(granted);
  });

  it.each(["http://evil.example/creds", "http://169.254.169.254/creds", "file:///etc/passwd"])(
    "sends no token to %s, as AWS's SDKs",
    async (url) => {
      const env = {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: url,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: "t",
      };
      expect(await identityOf("bedrock", env)).toEqual({ ok: false, error: "not_allowed" });
    },
  );

  it("asks an instance by IMDSv2, with a token for each session", async () => {
    answers = ({ method, url, headers }) => {
      if (method === "PUT" && url === "/latest/api/token")
        return headers["x-aws-ec2-metadata-token-ttl-seconds"] === undefined
          ? { status: 400, body: "" }
          : { body: "imds-token" };
      if (headers["x-aws-ec2-metadata-token"] !== "imds-token") return { status: 401, body: "" };
      const path = "/latest/meta-data/iam/security-credentials/";
      if (url === path) return { body: "router-role\n" };
      return url === `${path}router-role` ? { body: { Code: "Success", ...session } } : undefined;
    };
    const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: origin };
    expect(await identityOf("bedrock", env)).toEqual(granted);
    answers = ({ method }) => (method === "PUT" ? { body: "t" } : undefined);
    expect(await identityOf("bedrock", env)).toEqual({ ok: false, error: "no_host_identity" });
    answers = () => ({ status: 503, body: "" });
    expect(await identityOf("bedrock", env)).toMatchObject({ error: /^unreachable/ });
    const disabled = { ...env, AWS_EC2_METADATA_DISABLED: "true" };
    expect(await identityOf("bedrock", disabled)).toEqual({ ok: false, error: "no_host_identity" });
  });
});

describe("Azure", () => {
  const token = {
    access_token: "eyJ.host",
    token_type: "Bearer",
    resource: "https://ai.azure.com",
  };
  const queryOf = (url = "") => Object.fromEntries(new URL(url, origin).searchParams);

  it("asks App Service's endpoint with its secret header", async () => {
    answers = ({ headers }) =>
      headers["x-identity-header"] === "s3cret"
        ? { body: { ...token, expires_on: String(now / 1_000 + 3_600) } }
        : { status: 400, body: "" };
    const env = {
      IDENTITY_ENDPOINT: `${origin}/msi/token`,
      IDENTITY_HEADER: "s3cret",
      AZURE_CLIENT_ID: "app-1",
    };
    expect(await identityOf("azure", env)).toEqual({
      ok: true,
      value: { token: "eyJ.host", expiresAt: now + 3_600_000 },
    });
    expect(queryOf(asked[0]?.request.url)).toEqual({
      "api-version": "2019-08-01",
      resource: "https://ai.azure.com",
      client_id: "app-1",
    });
  });

  it("asks an instance's metadata service with its header", async () => {
    answers = ({ headers, url }) =>
      headers["metadata"] === "true" && url?.startsWith("/metadata/identity/oauth2/token?") === true
        ? { body: { ...token, expires_in: "3599" } }
        : { status: 400, body: "" };
    const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: origin };
    expect(await identityOf("azure", env)).toEqual({
      ok: true,
      value: { token: "eyJ.host", expiresAt: now + 3_599_000 },
    });
    answers = () => ({
      status: 400,
      body: { error: "invalid_request", error_description: "Identity not found" },
    });
    expect(await identityOf("azure", env)).toEqual({ ok: false, error: "no_host_identity" });
  });
});

describe("Google", () => {
  const env = () => ({ GCE_METADATA_HOST: new URL(origin).host });
  const flavored = { "metadata-flavor": "Google" };

  it("asks the metadata server with its header, and believes only an answer with it", async () => {
    const body = { access_token: "ya29.host", expires_in: 3_599, token_type: "Bearer" };
    answers = ({ headers, url }) =>
      headers["metadata-flavor"] === "Google" &&
      url === "/computeMetadata/v1/instance/service-accounts/default/token"
        ? { headers: flavored, body }
        : { status: 403, body: "" };
    expect(await identityOf("vertex", env())).toEqual({
      ok: true,
      value: { token: "ya29.host", expiresAt: now + 3_599_000 },
    });
    answers = () => ({ body });
    expect(await identityOf("vertex", env())).toMatchObject({ error: /^unreachable/ });
    answers = () => ({ headers: flavored, status: 404, body: "" });
    expect(await identityOf("vertex", env())).toEqual({ ok: false, error: "no_host_identity" });
    answers = () => ({ headers: flavored, body: { access_token: 7 } });
    expect(await identityOf("vertex", env())).toEqual({ ok: false, error: "malformed" });
  });
});
