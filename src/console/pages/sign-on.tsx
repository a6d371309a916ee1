import { tenantHere } from "../place.ts";
import { Page } from "../parts/page.tsx";
import { IdentityProvider } from "../people/identity-provider.tsx";

export const SignOn = () => (
  <Page title="Single sign-on" lead="People sign in with your identity provider.">
    <IdentityProvider key={tenantHere()} />
  </Page>
);
