/** What an access token of the router's is for: one registered server, or one tenant's sampling. */
import { boundedUrl } from "../bounded-url.ts";

export type OauthResource =
  | { kind: "server"; tenant: string; server: string }
  | { kind: "sampling"; tenant: string };

/** Scopes that tokens carry. `proxy` also covers the sampling that the server asks for on the way. */
export type OauthScope = "proxy" | "sampling";

const slug = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const serverPath = new RegExp(`^/mcp/(${slug})/(${slug})$`);
const samplingPath = new RegExp(`^/v1/sampling/(${slug})$`);

export const pathOfResource = (resource: OauthResource): string =>
  resource.kind === "server"
    ? `/mcp/${resource.tenant}/${resource.server}`
    : `/v1/sampling/${resource.tenant}`;

/** null: the path is no resource's. */
export function resourceAt(path: string): OauthResource | null {
  const server = serverPath.exec(path);
  if (server !== null) return { kind: "server", tenant: server[1] ?? "", server: server[2] ?? "" };
  const sampling = samplingPath.exec(path);
  return sampling === null ? null : { kind: "sampling", tenant: sampling[1] ?? "" };
}

/** @param uri as a client names it; null: it is no resource of this issuer's */
export function resourceIn(uri: string, issuer: string): OauthResource | null {
  const url = boundedUrl(uri);
  return url === null || url.origin !== issuer || url.search !== "" || url.hash !== ""
    ? null
    : resourceAt(url.pathname);
}

/** The scope without which a token opens nothing there. */
export const scopeOfResource = ({ kind }: OauthResource): OauthScope =>
  kind === "server" ? "proxy" : "sampling";
