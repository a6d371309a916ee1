/** What to select at each identity provider. `docs/single-sign-on.md` has the same in full. */
const copy = "Copy the client id and the client secret into the form below.";

/** In the order of Okta’s own pages. */
const oktaSteps = [
  "Applications, Create App Integration, OIDC, Web Application.",
  "Grant type Authorization Code. Paste both redirect URIs as Sign-in redirect URIs, each into a field of its own. Leave Sign-out redirect URIs and Initiate login URI empty. Under Assignments, select the groups that may sign in, and save.",
  `General opens. ${copy}`,
];

/** `mark`: part of its issuers. The last guide whose mark is in an issuer applies. `claim`: `groups` by default. */
export const guides = [
  {
    name: "Okta",
    mark: "okta.com",
    issuer: "https://<your-domain>.okta.com",
    steps: [
      ...oktaSteps,
      "Sign On, OpenID Connect ID Token, Edit: Groups claim type Filter, groups, matches regex .*",
      "If “Try the sign-in” shows no groups, use a custom authorization server.",
    ],
  },
  {
    name: "Okta (custom authorization server)",
    mark: "okta.com/oauth2",
    issuer: "https://<your-domain>.okta.com/oauth2/default",
    steps: [
      ...oktaSteps,
      "Security, API, default, Claims, Add Claim: name groups, in the ID token, always, value type Groups, matching .*, for any scope.",
    ],
  },
  {
    name: "Microsoft Entra ID",
    mark: "login.microsoftonline.com",
    issuer: "https://login.microsoftonline.com/<directory-id>/v2.0",
    steps: [
      "App registrations, New registration, platform Web. Paste both redirect URIs, the second under Authentication.",
      "Certificates & secrets, New client secret. Copy its value and the application (client) id into the form below.",
      "Token configuration, Add groups claim, Security groups, Group ID in the ID token.",
      "Claim values are then group ids. For names, use app roles and the claim roles.",
    ],
  },
  {
    name: "Keycloak",
    mark: "/realms/",
    issuer: "https://<keycloak>/realms/<realm>",
    steps: [
      "Clients, Create client, OpenID Connect, with client authentication and standard flow.",
      "Paste both redirect URIs as Valid redirect URIs, and save.",
      "Credentials: copy the client secret into the form below, with the client id that you chose.",
      "Client scopes, <client>-dedicated, Add mapper, Group Membership: name groups, without the full group path, in the ID token.",
    ],
  },
  {
    name: "Google",
    mark: "accounts.google.com",
    issuer: "https://accounts.google.com",
    claim: "hd",
    steps: [
      "APIs & Services, Credentials, Create credentials, OAuth client ID, Web application.",
      `Paste both redirect URIs as Authorized redirect URIs, and create it. ${copy}`,
      "Google’s tokens have no groups: use hd with your Workspace domain, or email with addresses.",
    ],
  },
  {
    name: "Another",
    mark: "",
    issuer: "",
    steps: [
      "Register a web application (OpenID Connect, authorization code) with both redirect URIs.",
      "Have it put the person’s groups into the ID token.",
      copy,
    ],
  },
];
