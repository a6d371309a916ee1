import { boundedUrl } from "../bounded-url.ts";

export type OauthResource =
  | { kind: "server"; tenant: string; server: string }
  | { kind: "sampling" | "models"; tenant: string };

/** `proxy` includes sampling by the server. */
export type OauthScope = "proxy" | "sampling" | "models";

const scopeOf = {
  server: "proxy",
  sampling: "sampling",
  models: "models",
} as const satisfies Record<OauthResource["kind"], OauthScope>;

const slug = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const serverPath = new RegExp(`^/mcp/(${slug})/(${slug})$`);
const samplingPath = new RegExp(`^/v1/sampling/(${slug})$`);
const modelsPath = new RegExp(`^/t/(${slug})/v1$`);

export function pathOfResource(resource: OauthResource): string {
  if (resource.kind === "server") return `/mcp/${resource.tenant}/${resource.server}`;
  return resource.kind === "models"
    ? `/t/${resource.tenant}/v1`
    : `/v1/sampling/${resource.tenant}`;
}

export function resourceAt(path: string): OauthResource | null {
  const server = serverPath.exec(path);
  if (server !== null) return { kind: "server", tenant: server[1] ?? "", server: server[2] ?? "" };
  const sampling = samplingPath.exec(path)?.[1];
  if (sampling !== undefined) return { kind: "sampling", tenant: sampling };
  const models = modelsPath.exec(path)?.[1];
  return models === undefined ? null : { kind: "models", tenant: models };
}

export function resourceIn(uri: string, issuer: string): OauthResource | null {
  const url = boundedUrl(uri);
  return url === null || url.origin !== issuer || url.search !== "" || url.hash !== ""
    ? null
    : resourceAt(url.pathname);
}

export const scopeOfResource = ({ kind }: OauthResource): OauthScope => scopeOf[kind];
