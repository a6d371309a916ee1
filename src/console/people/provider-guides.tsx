/** What to select at each identity provider. `docs/single-sign-on.md` has the same in full. */
import { Button } from "../parts/card.tsx";
import { useState } from "preact/hooks";

interface Guide {
  issuer: string;
  claim: string;
  steps: string;
}

const guides: Readonly<Record<string, Guide>> = {
  Okta: {
    issuer: "https://<your-domain>.okta.com/oauth2/default",
    claim: "groups",
    steps:
      "Applications, Create App Integration, OIDC, Web Application. Assign the groups that may sign in. Then Security, API, default, Claims, Add Claim: groups, in the ID token, always, value type Groups, matching .*, for any scope. With the issuer https://<your-domain>.okta.com (org authorization server), set the claim in the application instead: Sign On, ID token, Groups claim filter.",
  },
  "Microsoft Entra ID": {
    issuer: "https://login.microsoftonline.com/<directory-id>/v2.0",
    claim: "groups",
    steps:
      "App registrations, New registration, platform Web. Certificates & secrets, New client secret. Token configuration, Add groups claim, Security groups, Group ID in the ID token. Claim values are then group ids; for names, use app roles and the claim roles.",
  },
  Keycloak: {
    issuer: "https://<keycloak>/realms/<realm>",
    claim: "groups",
    steps:
      "Clients, Create client, OpenID Connect, with client authentication and standard flow. Client scopes, <client>-dedicated, Add mapper, Group Membership: name groups, without the full group path, in the ID token.",
  },
  Google: {
    issuer: "https://accounts.google.com",
    claim: "hd",
    steps:
      "APIs & Services, Credentials, Create credentials, OAuth client ID, Web application. Google’s tokens have no groups: use hd with your Workspace domain, or email with addresses.",
  },
};

interface GuidesProps {
  isSaved: boolean;
  /** unless settings are saved */
  fill: (its: Pick<Guide, "issuer" | "claim">) => void;
}

export function ProviderGuides({ isSaved, fill }: GuidesProps) {
  const [shown, show] = useState("");
  const guide = guides[shown];
  return (
    <>
      <p class="buttons">
        {isSaved ? "Steps for:" : "Fill in for:"}
        {Object.entries(guides).map(([name, { issuer, claim }]) => (
          <Button
            key={name}
            class="quiet"
            aria-pressed={name === shown}
            onClick={() => {
              show(name);
              if (!isSaved) fill({ issuer, claim });
            }}
          >
            {name}
          </Button>
        ))}
      </p>
      {guide !== undefined && (
        <p class="notice" role="status">
          <strong>At {shown}:</strong> {guide.steps}
        </p>
      )}
    </>
  );
}
