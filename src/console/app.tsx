/** Every page and its address. */
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { consolePath, pathOf, tenantPath } from "./place.ts";
import { session } from "./session.ts";
import { Shell } from "./shell.tsx";
import { Page } from "./parts/page.tsx";
import { Waiting } from "./parts/notice.tsx";
import { Alerts } from "./pages/alerts.tsx";
import { Approvals } from "./pages/approvals.tsx";
import { Credentials } from "./pages/credentials.tsx";
import { AllEvents, Events } from "./pages/events.tsx";
import { Keys } from "./pages/keys.tsx";
import { Models } from "./pages/models.tsx";
import { Overview } from "./pages/overview.tsx";
import { Playground } from "./pages/playground.tsx";
import { PolicyPage } from "./pages/policy.tsx";
import { Request } from "./pages/request.tsx";
import { Requests } from "./pages/requests.tsx";
import { Seals } from "./pages/seals.tsx";
import { Servers } from "./pages/servers.tsx";
import { Sessions } from "./pages/sessions.tsx";
import { SignIn } from "./pages/sign-in.tsx";
import { SwitchesPage } from "./pages/switches.tsx";
import { Start } from "./pages/start.tsx";
import { Tenants } from "./pages/tenants.tsx";

function Home() {
  const { route } = useLocation();
  const tenant = session.value?.actor.tenant;
  useEffect(() => {
    route(tenant === undefined ? pathOf("/tenants") : tenantPath(tenant), true);
  }, [tenant]);
  return <Waiting what="the console" />;
}

function NoSuchPage() {
  return (
    <Page title="No such page">
      <p>
        The address names no page of the console. <a href={consolePath}>Go to the beginning</a>
      </p>
    </Page>
  );
}

const routes = [
  ["", Home],
  ["/tenants", Tenants],
  ["/events", AllEvents],
  ["/t/:tenant", Overview],
  ["/t/:tenant/requests", Requests],
  ["/t/:tenant/requests/:id", Request],
  ["/t/:tenant/approvals", Approvals],
  ["/t/:tenant/alerts", Alerts],
  ["/t/:tenant/start", Start],
  ["/t/:tenant/playground", Playground],
  ["/t/:tenant/policy", PolicyPage],
  ["/t/:tenant/switches", SwitchesPage],
  ["/t/:tenant/keys", Keys],
  ["/t/:tenant/credentials", Credentials],
  ["/t/:tenant/servers", Servers],
  ["/t/:tenant/models", Models],
  ["/t/:tenant/sessions", Sessions],
  ["/t/:tenant/seals", Seals],
  ["/t/:tenant/events", Events],
] as const;

function Pages() {
  return (
    <Shell>
      <Router>
        {routes.map(([page, component]) => (
          <Route key={page} path={pathOf(page)} component={component} />
        ))}
        <Route default component={NoSuchPage} />
      </Router>
    </Shell>
  );
}

export function App() {
  const found = session.value;
  if (found === undefined) return <Waiting what="the console" />;
  if (found === null) return <SignIn />;
  return (
    <LocationProvider scope={consolePath}>
      <Pages />
    </LocationProvider>
  );
}
