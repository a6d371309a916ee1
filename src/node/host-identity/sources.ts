/** Where the machine's identity comes from, and requests to servers that give it. */
import { own, parsedJson } from "../../domain/json.ts";
import type { CloudGrant } from "../../domain/ports/cloud-tokens.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { OauthFault } from "../../domain/servers/oauth.ts";
import { createExchange } from "../../oauth/exchange.ts";

export interface IdentitySources {
  /** variables that the cloud or the operator set */
  platform: Readonly<Record<string, string | undefined>>;
  readText: (path: string) => Promise<string>;
  /** without a proxy: metadata servers answer only the machine itself */
  fetch: typeof fetch;
  /** ms since the epoch */
  now: () => number;
}

export type Granted = Promise<Result<CloudGrant, OauthFault>>;

export interface Asked {
  url: string;
  method?: "GET" | "POST" | "PUT";
  headers?: Record<string, string>;
  body?: string;
}

/**
 * The only requests that may go to metadata addresses. Their URLs come from the operator's environment, never from a
 * tenant.
 */
export async function askHost(
  { fetch }: Pick<IdentitySources, "fetch">,
  { url, method = "GET", headers = {}, body }: Asked,
): Promise<Result<{ status: number; text: string }, OauthFault>> {
  const exchange = createExchange({ fetch, allowPrivate: true, idTokens: "keep" });
  return exchange.attempt(async () => {
    const answer = await exchange.fetch(url, { method, headers, body });
    return { status: answer.status, text: await answer.text() };
  });
}

export const textIn = (given: unknown, name: string): string | undefined => {
  const value = own(given, name);
  return typeof value === "string" ? value : undefined;
};

/** Reads `access_token`, and `expires_in` or `expires_on` in seconds, as number or text. */
export async function askForToken(sources: IdentitySources, asked: Asked): Granted {
  const answered = await askHost(sources, asked);
  if (!answered.ok) return answered;
  const { status, text } = answered.value;
  if (status === 400 || status === 404) return err("no_host_identity");
  const given = parsedJson(text);
  const token = textIn(given, "access_token");
  const left = Number(own(given, "expires_in"));
  const until = Number(own(given, "expires_on"));
  const expiresAt = Number.isFinite(left) ? sources.now() + left * 1_000 : until * 1_000;
  return status === 200 && token !== undefined && Number.isFinite(expiresAt)
    ? ok({ token, expiresAt })
    : err(status === 200 ? "malformed" : "invalid_client");
}
