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

/** `*`: a tenant. A page's file is named like its address, so that `http/console.ts` can preload it. */
const routes = [
  ["", Home],
  ["/tenants", later(async () => (await import("./pages/tenants.tsx")).Tenants)],
  ["/events", later(async () => (await import("./pages/events.tsx")).Events)],
  ["/tried", later(async () => (await import("./pages/tried.tsx")).Tried)],
  ["*", later(async () => (await import("./pages/overview.tsx")).Overview)],
  ["*/usage", later(async () => (await import("./pages/usage.tsx")).UsageBy)],
  ["*/limits", later(async () => (await import("./pages/limits.tsx")).Limits)],
  ["*/requests", later(async () => (await import("./pages/requests.tsx")).Requests)],
  ["*/requests/:id", later(async () => (await import("./pages/request.tsx")).Request)],
  ["*/approvals", later(async () => (await import("./pages/approvals.tsx")).Approvals)],
  ["*/alerts", later(async () => (await import("./pages/alerts.tsx")).Alerts)],
  ["*/start", later(async () => (await import("./pages/start.tsx")).Start)],
  ["*/playground", later(async () => (await import("./pages/playground.tsx")).Playground)],
  ["*/policy", later(async () => (await import("./pages/policy.tsx")).PolicyPage)],
  ["*/switches", later(async () => (await import("./pages/switches.tsx")).SwitchesPage)],
  ["*/keys", later(async () => (await import("./pages/keys.tsx")).Keys)],
  ["*/credentials", later(async () => (await import("./pages/credentials.tsx")).Credentials)],
  ["*/people", later(async () => (await import("./pages/people.tsx")).People)],
  ["*/grants", later(async () => (await import("./pages/grants.tsx")).Grants)],
  ["*/servers", later(async () => (await import("./pages/servers.tsx")).Servers)],
  ["*/models", later(async () => (await import("./pages/models.tsx")).Models)],
  ["*/sessions", later(async () => (await import("./pages/sessions.tsx")).Sessions)],
  ["*/sign-on", later(async () => (await import("./pages/sign-on.tsx")).SignOn)],
  ["*/seals", later(async () => (await import("./pages/seals.tsx")).Seals)],
  ["*/events", later(async () => (await import("./pages/events.tsx")).Events)],
] as const;

function Pages() {
  return (
    <Shell>
      <Router>
        {routes.map(([page, component]) => (
          <Route key={page} path={pathOf(page.replace("*", "/t/:tenant"))} component={component} />
        ))}
        <Route default component={NoSuch} />
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
