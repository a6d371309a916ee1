/** How the router describes itself to authorization servers, as a client of registered servers. */

/** Where the description is, for authorization servers that read it there: its URL is the client's id. */
export const clientDescriptionPath = "/oauth/client-metadata.json";

/** To which a person comes back from an authorization server. */
export const callbackPath = "/oauth/callback";

/** Members of RFC 7591. @param redirectUri where a person comes back to */
export const clientDescription = (redirectUri: string) => ({
  client_name: "Sampling Router",
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  // OpenID Connect's rule for redirects to http on loopback, which many servers keep.
  application_type: redirectUri.startsWith("https:") ? "web" : "native",
});
