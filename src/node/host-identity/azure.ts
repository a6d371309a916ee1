/** The machine's managed identity at Azure. */
import { askForToken, type Granted, type IdentitySources } from "./sources.ts";

/** The scope of `oauth/cloud-tokens.ts`, as a resource. */
const resource = "https://ai.azure.com";

export function azureIdentity(sources: IdentitySources): Granted {
  const { platform } = sources;
  const clientId = platform["AZURE_CLIENT_ID"];
  const asked = { resource, ...(clientId !== undefined && { client_id: clientId }) };
  const urlOf = (endpoint: string, version: string): string =>
    `${endpoint}?${new URLSearchParams({ "api-version": version, ...asked }).toString()}`;
  const endpoint = platform["IDENTITY_ENDPOINT"];
  const secret = platform["IDENTITY_HEADER"];
  // Source: https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference
  if (endpoint !== undefined && secret !== undefined)
    return askForToken(sources, {
      url: urlOf(endpoint, "2019-08-01"),
      headers: { "x-identity-header": secret },
    });
  // Source: https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
  const root = platform["AZURE_POD_IDENTITY_AUTHORITY_HOST"] ?? "http://169.254.169.254";
  return askForToken(sources, {
    url: urlOf(`${root}/metadata/identity/oauth2/token`, "2018-02-01"),
    headers: { metadata: "true" },
  });
}
