/** The URL of this path is the client id. */
export const clientDescriptionPath = "/oauth/client-metadata.json";

export const callbackPath = "/oauth/callback";

export const clientDescription = (redirectUri: string) => ({
  client_name: "Sampling Router",
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  // OpenID Connect's rule for http redirects to loopback, which many servers enforce.
  application_type: redirectUri.startsWith("https:") ? "web" : "native",
});
