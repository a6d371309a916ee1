import { Page } from "../parts/page.tsx";
import { IdentityProvider } from "../people/identity-provider.tsx";

export const SignOn = ({ params: { tenant } }: { params: { tenant: string } }) => (
  <Page title="Single sign-on" lead="People sign in with your identity provider.">
    <IdentityProvider key={tenant} tenant={tenant} />
  </Page>
);
