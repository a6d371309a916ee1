import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { useEffect, useRef } from "preact/hooks";
import "./leaving.ts";
import { consolePath, pathOf, tenantPath } from "./place.ts";
import { hasEnded, session } from "./session.ts";
import { NoSuch, Shell } from "./shell.tsx";
import { Waiting } from "./parts/page.tsx";
import { later } from "./later.tsx";
import { SignIn } from "./pages/sign-in.tsx";

function Home() {
  const { route } = useLocation();
  const tenant = session.value?.actor.tenant;
  useEffect(() => {
    route(tenant === undefined ? pathOf("/tenants") : tenantPath(tenant), true);
  }, [tenant]);
  return <Waiting what="the console" />;
}

const NoSuchPage = () => (
  <NoSuch title="No such page" text="The console has no page at this address." />
);

/** A page's file is named like its address, so that `http/console.ts` can preload it. */
const routes = [
  ["", Home],
  ["/tenants", later(async () => (await import("./pages/tenants.tsx")).Tenants)],
  ["/events", later(async () => (await import("./pages/events.tsx")).Events)],
  ["/tried", later(async () => (await import("./pages/tried.tsx")).Tried)],
  ["/t/:tenant", later(async () => (await import("./pages/overview.tsx")).Overview)],
  ["/t/:tenant/usage", later(async () => (await import("./pages/usage.tsx")).UsageBy)],
  ["/t/:tenant/limits", later(async () => (await import("./pages/limits.tsx")).Limits)],
  ["/t/:tenant/requests", later(async () => (await import("./pages/requests.tsx")).Requests)],
  ["/t/:tenant/requests/:id", later(async () => (await import("./pages/request.tsx")).Request)],
  ["/t/:tenant/approvals", later(async () => (await import("./pages/approvals.tsx")).Approvals)],
  ["/t/:tenant/alerts", later(async () => (await import("./pages/alerts.tsx")).Alerts)],
  ["/t/:tenant/start", later(async () => (await import("./pages/start.tsx")).Start)],
  ["/t/:tenant/playground", later(async () => (await import("./pages/playground.tsx")).Playground)],
  ["/t/:tenant/policy", later(async () => (await import("./pages/policy.tsx")).PolicyPage)],
  ["/t/:tenant/switches", later(async () => (await import("./pages/switches.tsx")).SwitchesPage)],
  ["/t/:tenant/keys", later(async () => (await import("./pages/keys.tsx")).Keys)],
  [
    "/t/:tenant/credentials",
    later(async () => (await import("./pages/credentials.tsx")).Credentials),
  ],
  ["/t/:tenant/people", later(async () => (await import("./pages/people.tsx")).People)],
  ["/t/:tenant/grants", later(async () => (await import("./pages/grants.tsx")).Grants)],
  ["/t/:tenant/servers", later(async () => (await import("./pages/servers.tsx")).Servers)],
  ["/t/:tenant/models", later(async () => (await import("./pages/models.tsx")).Models)],
  ["/t/:tenant/sessions", later(async () => (await import("./pages/sessions.tsx")).Sessions)],
  ["/t/:tenant/sign-on", later(async () => (await import("./pages/sign-on.tsx")).SignOn)],
  ["/t/:tenant/seals", later(async () => (await import("./pages/seals.tsx")).Seals)],
  ["/t/:tenant/events", later(async () => (await import("./pages/events.tsx")).Events)],
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

/** A dialog over the page, which may itself have a dialog open. */
function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = (): void => {
    if (dialog.current?.open === false) dialog.current.showModal();
  };
  useEffect(show, []);
  return (
    <dialog ref={dialog} class="sign-in-again" aria-label="Sign in again" onClose={show}>
      <SignIn />
    </dialog>
  );
}

export function App() {
  const found = session.value;
  if (found === undefined) return <Waiting what="the console" />;
  if (found === null) return <SignIn />;
  const isOver = hasEnded.value;
  return (
    <>
      {/* Another person gets fresh pages. */}
      <div key={JSON.stringify(found.actor)} hidden={isOver} inert={isOver}>
        <LocationProvider scope={consolePath}>
          <Pages />
        </LocationProvider>
      </div>
      {isOver && <SignInAgain />}
    </>
  );
}
