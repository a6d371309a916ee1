/** What may stand in the entry of a registered server. */
import { describe, expect, it } from "vitest";
import { problemWithServer, type ServerEntry } from "../../../src/domain/servers/server-entry.ts";
import { problemWithHeaders } from "../../../src/domain/servers/static-headers.ts";

describe("static headers", () => {
  it.each([
    { "X-Api-Key": "secret" },
    { Authorization: "Basic dXNlcjpwYXNz" },
    { authorization: "token abc" },
    { Cookie: "session=abc; theme=dark" },
    { "X-Text": "two words\tand a tab" },
    { "x!#$%&'*+.^_`|~-9": "v" },
    {},
  ])("may be %j", (headers) => {
    expect(problemWithHeaders(headers as Record<string, string>)).toBeNull();
  });

  it.each([
    "Host",
    "HOST",
    "Content-Length",
    "Content-Type",
    "Connection",
    "Keep-Alive",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Expect",
    "Via",
    "Accept",
    "Last-Event-ID",
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "mcp-method",
    "Mcp-Param-x",
    "X-Sampling-Router-Key",
    "x-sampling-router-anything",
    "X-Forwarded-For",
    "CF-Connecting-IP",
  ])("are never %s", (name) => {
    expect(problemWithHeaders({ [name]: "v" })).toMatchObject({ name });
  });

  it.each(["", "a b", "a:b", "a\r\nb", "näme", "a\0", "(x)", "x".repeat(101)])(
    "have no name such as %j, which is not repeated",
    (name) => {
      expect(problemWithHeaders({ [name]: "v" })).toMatchObject({ name: null });
    },
  );

  it.each(["", " ", " a", "a ", "a\r\nX-B: c", "a\nb", "a\0b", "a\x7f", "\ta", "ü", "a\u2028b"])(
    "have no value such as %j",
    (value) => {
      expect(problemWithHeaders({ "X-A": value })).toMatchObject({ name: "X-A" });
    },
  );

  it("are bounded: in number, each, and together; and stand there once", () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, "v"]));
    expect(problemWithHeaders(many(32))).toBeNull();
    expect(problemWithHeaders(many(33))).not.toBeNull();
    expect(problemWithHeaders({ "X-A": "v".repeat(8_192) })).toBeNull();
    expect(problemWithHeaders({ "X-A": "v".repeat(8_193) })).not.toBeNull();
    const half = "v".repeat(8_189);
    expect(problemWithHeaders({ "X-A": half, "X-B": half })).toBeNull();
    expect(problemWithHeaders({ "X-A": half, "X-B": half, "X-C": "v" })).not.toBeNull();
    expect(problemWithHeaders({ "X-A": "1", "x-a": "2" })).toMatchObject({ name: "x-a" });
    expect(problemWithHeaders({ "x-a": "1", "X-A": "2" })).toMatchObject({ name: "X-A" });
  });
});

describe("an entry", () => {
  const client = {
    grant: "authorization_code",
    clientId: "c",
    clientSecret: null,
    tokenEndpoint: null,
    authorizationEndpoint: null,
    scope: null,
    resource: null,
  } as const;
  const plain: ServerEntry = {
    url: "https://mcp.example.com/mcp",
    headers: {},
    passHeaders: [],
    forwardAuthorization: false,
    oauth: null,
  };
  const at = (fields: Partial<ServerEntry>) =>
    problemWithServer({ ...plain, ...fields }, { allowPrivate: false })?.path ?? null;
  const token = "https://login.example.com/token?a=1";
  const authorize = "https://login.example.com/authorize";

  it.each<[string | null, Partial<ServerEntry>]>([
    [null, {}],
    [null, { headers: { Authorization: "x" } }],
    [null, { forwardAuthorization: true, headers: { "X-Key": "x" } }],
    [null, { oauth: client, headers: { "X-Key": "x" } }],
    [null, { oauth: { ...client, tokenEndpoint: token, authorizationEndpoint: authorize } }],
    [null, { oauth: { ...client, grant: "client_credentials", clientSecret: "s" } }],
    [null, { oauth: { ...client, resource: "urn:x:y" } }],
    ["url", { url: "https://127.0.0.1/mcp" }],
    ["headers.Host", { headers: { Host: "x" } }],
    ["passHeaders.0", { passHeaders: ["*"] }],
    ["passHeaders.1", { passHeaders: ["X-Workspace", "Cookie"] }],
    ["headers", { headers: { "a b": "x" } }],
    ["oauth", { oauth: client, headers: { AUTHORIZATION: "x" } }],
    ["forwardAuthorization", { forwardAuthorization: true, headers: { authorization: "x" } }],
    ["forwardAuthorization", { forwardAuthorization: true, oauth: client }],
    ["oauth", { oauth: { ...client, tokenEndpoint: token } }],
    ["oauth", { oauth: { ...client, authorizationEndpoint: authorize } }],
    ["oauth.clientSecret", { oauth: { ...client, grant: "client_credentials" } }],
    ["oauth.tokenEndpoint", { oauth: { ...client, tokenEndpoint: "https://10.0.0.1/token" } }],
    [
      "oauth.authorizationEndpoint",
      { oauth: { ...client, authorizationEndpoint: "javascript:x" } },
    ],
    ["oauth.resource", { oauth: { ...client, resource: "https://x.example/#a" } }],
    ["oauth.resource", { oauth: { ...client, resource: "mcp" } }],
  ])("has its problem at %s", (path, fields) => {
    expect(at(fields)).toBe(path);
  });
});
