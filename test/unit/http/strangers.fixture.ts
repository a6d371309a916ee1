/** Every endpoint that a stranger reaches, how a text reaches it, and texts that parsers and patterns are slow with. */
import { registration } from "../../fakes/oauth-client.ts";
import { issuer } from "../../fakes/own-authorization-server.ts";

export type Send = (text: string) => [path: string, init?: RequestInit];
const own = { Origin: issuer };
export const form = (path: string): Send => {
  return (body) => [
    path,
    {
      method: "POST",
      body,
      headers: { ...own, "Content-Type": "application/x-www-form-urlencoded" },
    },
  ];
};
const json =
  (path: string): Send =>
  (body) => [
    path,
    { method: "POST", body, headers: { ...own, "Content-Type": "application/json" } },
  ];
export const query =
  (path: string): Send =>
  (text) => [`${path}${path.includes("?") ? "&" : "?"}${text}`];

/** What is sent to an endpoint for keys: nobody's key, and a body that is small enough to be read before the key is known. */
const message =
  (path: string, type = "application/json"): Send =>
  (body) => [
    path,
    {
      method: "POST",
      body,
      headers: {
        Authorization: "Bearer srk_nobody",
        "Content-Type": type,
        "Content-Length": String(body.length),
      },
    },
  ];
const bearer =
  (path: string, method = "GET"): Send =>
  (text) => [path, { method, headers: { Authorization: `Bearer ${text}` } }];
const cookie =
  (path: string): Send =>
  (text) => [path, { headers: { Cookie: `a=${encodeURIComponent(text)}` } }];
const inPath =
  (path: string, method = "GET"): Send =>
  (text) => [`${path}/${encodeURIComponent(text)}`, { method }];
/** A text in every place of a request to the admin API. */
export const everywhere =
  (method: string, path: string): Send =>
  (text) => [
    `${path.replaceAll(/:[a-zA-Z]+(\{[^}]*\})?/g, "a")}?q=${encodeURIComponent(text)}`,
    {
      method,
      headers: { Authorization: `Bearer ${text}`, "Content-Type": "application/json" },
      ...(method !== "GET" && { body: text }),
    },
  ];

/** The model endpoints below a path, as the app has it, and as a request names it. */
const modelEndpoints = (path: string, at: string): Record<string, Send[]> => ({
  ...Object.fromEntries(
    ["/chat/completions", "/responses", "/messages", "/messages/count_tokens"].map((name) => [
      `POST ${path}${name}`,
      [message(`${at}${name}`), bearer(`${at}${name}`, "POST")],
    ]),
  ),
  [`GET ${path}/models`]: [query(`${at}/models`), bearer(`${at}/models`)],
  [`GET ${path}/models/:name{.+}`]: [inPath(`${at}/models`)],
});

/** Each endpoint without a rate for strangers, apart from the admin API, by method and path as the app has them. */
export const withoutRate: Record<string, Send[]> = {
  "GET /health": [query("/health")],
  "GET /health/ready": [query("/health/ready")],
  "GET /metrics": [query("/metrics"), bearer("/metrics")],
  "GET /": [query("/")],
  "GET /t/:tenant{[a-z0-9-]+}": [query("/t/acme"), inPath("/t")],
  "GET /console": [query("/console"), cookie("/console")],
  "GET /console/*": [inPath("/console"), (text) => [`/console/${text.replaceAll(/[?#]/g, "/")}`]],
  "GET /console/assets/:name": [inPath("/console/assets")],
  "POST /v1/sampling": [message("/v1/sampling"), bearer("/v1/sampling", "POST")],
  "POST /v1/sampling/:tenant{[a-z0-9-]+}": [
    message("/v1/sampling/acme"),
    (text) => [`/v1/sampling/${text.replaceAll(/[^a-z]/g, "-")}`, { method: "POST" }],
  ],
  "DELETE /v1/sampling": [bearer("/v1/sampling", "DELETE")],
  "DELETE /v1/sampling/:tenant{[a-z0-9-]+}": [bearer("/v1/sampling/acme", "DELETE")],
  ...modelEndpoints("/v1", "/v1"),
  ...modelEndpoints("/t/:tenant{[a-z0-9-]+}/v1", "/t/acme/v1"),
  "POST /v1/route": [message("/v1/route"), bearer("/v1/route", "POST")],
  "POST /mcp/:tenant/:server": [
    message("/mcp/acme/notes"),
    message("/mcp/acme/notes", "text/plain"),
    inPath("/mcp/acme", "POST"),
  ],
  "GET /mcp/:tenant/:server": [bearer("/mcp/acme/notes"), inPath("/mcp/acme")],
  "DELETE /mcp/:tenant/:server": [bearer("/mcp/acme/notes", "DELETE")],
};

/** Each endpoint with such a rate, and how a text reaches it. */
export const endpoints: Record<string, Send[]> = {
  "GET /.well-known/oauth-authorization-server": [query("/.well-known/oauth-authorization-server")],
  "GET /.well-known/oauth-protected-resource/*": [
    (text) => [`/.well-known/oauth-protected-resource/mcp/${encodeURIComponent(text)}`],
    query("/.well-known/oauth-protected-resource/mcp/acme/notes"),
  ],
  "GET /.well-known/sampling-router/audit-keys.json": [
    query("/.well-known/sampling-router/audit-keys.json"),
  ],
  "GET /oauth/authorize": [query("/oauth/authorize")],
  "POST /oauth/authorize": [form("/oauth/authorize"), query("/oauth/authorize")],
  "GET /oauth/sign-in": [query("/oauth/sign-in")],
  "POST /oauth/token": [form("/oauth/token")],
  "POST /oauth/register": [json("/oauth/register")],
  "GET /oauth/account": [query("/oauth/account?tenant=acme"), query("/oauth/account")],
  "POST /oauth/account": [form("/oauth/account?tenant=acme")],
  "GET /oauth/connect": [query("/oauth/connect?tenant=acme&server=notes")],
  "POST /oauth/connect": [form("/oauth/connect?tenant=acme&server=notes")],
  "GET /oauth/client-metadata.json": [query("/oauth/client-metadata.json")],
  "GET /oauth/callback": [query("/oauth/callback")],
  "GET /console/session": [query("/console/session")],
  "POST /console/session": [json("/console/session")],
  "DELETE /console/session": [
    (text) => [
      "/console/session",
      { method: "DELETE", headers: { ...own, Cookie: `a=${encodeURIComponent(text)}` } },
    ],
  ],
  "POST /console/single-sign-on": [json("/console/single-sign-on")],
  "GET /console/single-sign-on/callback": [query("/console/single-sign-on/callback")],
};

export const fill = (part: string, bytes: number): string =>
  part.repeat(Math.ceil(bytes / part.length));
const numbered = (bytes: number): string => {
  const fields: string[] = [];
  for (let size = 0; size < bytes; size += 6) fields.push(`${(size + 50_000).toString(36)}=`);
  return fields.join("&");
};
export const shapes: Record<string, (bytes: number) => string> = {
  "a host of dots": (bytes) => `client_id=https://x${fill(".", bytes)}y/doc&grant_type=x`,
  "a redirect of dots": (bytes) => `client_id=c&redirect_uri=https://x${fill(".", bytes)}y`,
  "a resource of slashes": (bytes) => `resource=${issuer}${fill("/", bytes)}x&tenant=acme`,
  "many fields": numbered,
  "one field again and again": (bytes) => fill("resource=a&", bytes),
  "percent signs": (bytes) => `client_id=${fill("%", bytes)}`,
  "many scopes": (bytes) => `scope=${fill("a+", bytes)}&client_id=c`,
  "a long code": (bytes) =>
    `grant_type=authorization_code&client_id=c&code=ten_a.key_b${fill(":a", bytes)}`,
  "a long assertion": (bytes) =>
    `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.${fill("a", bytes)}`,
  "many redirects": (bytes) => JSON.stringify({ redirect_uris: [...fill("a", bytes / 8)] }),
  "a redirect of dots, registered": (bytes) =>
    JSON.stringify({ ...registration, redirect_uris: [`https://x${fill(".", bytes)}y/`] }),
  "nested arrays": (bytes) => fill("[", bytes),
  "a long key": (bytes) => JSON.stringify({ key: fill("k", bytes) }),
};
