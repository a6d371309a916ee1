/** Access tokens of clouds, for their credentials. */
import {
  clientCredentialsGrantRequest,
  ClientSecretPost,
  processClientCredentialsResponse,
} from "oauth4webapi";
import type { ObtainToken } from "../domain/ports/cloud-tokens.ts";
import { err } from "../domain/result.ts";
import { expiryOf } from "./client.ts";
import { createExchange, type ExchangeDeps } from "./exchange.ts";

/** Source: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
const entraUrl = (tenantId: string): string =>
  `https://login.microsoftonline.com/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
/** Source: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle */
const azureScope = "https://ai.azure.com/.default";

export const createCloudTokens =
  (deps: Omit<ExchangeDeps, "idTokens"> & { now: () => number }): ObtainToken =>
  async ({ auth, place }) => {
    if (!("clientSecret" in auth)) return err("not_allowed");
    const exchange = createExchange({ ...deps, idTokens: "drop" });
    const url = place.tokenUrl ?? entraUrl(auth.tenantId);
    const as = { issuer: new URL(url).origin, token_endpoint: url };
    const client = { client_id: auth.clientId };
    return exchange.attempt(async () => {
      const answer = await clientCredentialsGrantRequest(
        as,
        client,
        ClientSecretPost(auth.clientSecret),
        { scope: azureScope },
        exchange.options,
      );
      const granted = await processClientCredentialsResponse(as, client, answer);
      return {
        token: granted.access_token,
        expiresAt: expiryOf(granted.expires_in, deps.now()),
      };
    });
  };
