/** What to select at each identity provider. `docs/single-sign-on.md` has the same in full. */
interface Guide {
  /** part of its issuers */
  mark: string;
  issuer: string;
  claim: string;
  /** where the redirect URIs belong */
  uris: string;
  steps: readonly string[];
}

const oktaApplication = [
  "Applications, Create App Integration, OIDC, Web Application, grant type Authorization Code.",
  "Assign the groups that may sign in.",
];

/** The first whose mark is in the issuer applies. */
export const guides: Readonly<Record<string, Guide>> = {
  "Okta (custom authorization server)": {
    mark: "okta.com/oauth2",
    issuer: "https://<your-domain>.okta.com/oauth2/default",
    claim: "groups",
    uris: "Sign-in redirect URIs",
    steps: [
      ...oktaApplication,
      "Security, API, default, Claims, Add Claim: name groups, in the ID token, always, value type Groups, matching .*, for any scope.",
    ],
  },
  "Okta (org authorization server)": {
    mark: "okta.com",
    issuer: "https://<your-domain>.okta.com",
    claim: "groups",
    uris: "Sign-in redirect URIs",
    steps: [
      ...oktaApplication,
      "In the application: Sign On, OpenID Connect ID Token, Groups claim type Filter, groups, matches regex .*",
      "If “Try the sign-in” shows no groups, use a custom authorization server: this one may send them only for the scope groups, which the router doesn’t request.",
    ],
  },
  "Microsoft Entra ID": {
    mark: "login.microsoftonline.com",
    issuer: "https://login.microsoftonline.com/<directory-id>/v2.0",
    claim: "groups",
    uris: "Redirect URIs of the platform Web",
    steps: [
      "App registrations, New registration, platform Web.",
      "Certificates & secrets, New client secret.",
      "Token configuration, Add groups claim, Security groups, Group ID in the ID token.",
      "Claim values are then group ids. For names, use app roles and the claim roles.",
    ],
  },
  Keycloak: {
    mark: "/realms/",
    issuer: "https://<keycloak>/realms/<realm>",
    claim: "groups",
    uris: "Valid redirect URIs",
    steps: [
      "Clients, Create client, OpenID Connect, with client authentication and standard flow.",
      "Client scopes, <client>-dedicated, Add mapper, Group Membership: name groups, without the full group path, in the ID token.",
    ],
  },
  Google: {
    mark: "accounts.google.com",
    issuer: "https://accounts.google.com",
    claim: "hd",
    uris: "Authorized redirect URIs",
    steps: [
      "APIs & Services, Credentials, Create credentials, OAuth client ID, Web application.",
      "Google’s tokens have no groups: use hd with your Workspace domain, or email with addresses.",
    ],
  },
};

export const guideOf = (issuer: string): string =>
  Object.keys(guides).find((name) => issuer.includes(guides[name]?.mark ?? "")) ?? "";

export const Steps = ({ of }: { of: string }) => {
  const guide = guides[of];
  const [first, ...rest] = guide?.steps ?? [
    "Register a web application (OpenID Connect, authorization code).",
    "Have it put the person’s groups into the ID token.",
  ];
  const paste = `Paste both redirect URIs${guide === undefined ? "" : ` as ${guide.uris}`}.`;
  const last = "Copy the client id and the client secret into the form below.";
  return (
    <ol>
      {[first, paste, ...rest, last].map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
};
