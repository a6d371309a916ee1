/** What stands around every page: where one is, where one can go, and who is signed in. */
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useEffect, useState } from "preact/hooks";
import { Stopped } from "./parts/stopped.tsx";
import { consolePath, pathOf, prefix, tenantPath } from "./place.ts";
import { isOperator, session, signOut } from "./session.ts";
import { theme, themes } from "./theme.ts";

const groups: readonly [title: string, pages: readonly [page: string, title: string][]][] = [
  [
    "Watch",
    [
      ["", "Overview"],
      ["/requests", "Requests"],
      ["/approvals", "Approvals"],
      ["/alerts", "Alerts"],
      ["/sessions", "Sessions"],
    ],
  ],
  [
    "Set up",
    [
      ["/start", "First steps"],
      ["/playground", "Playground"],
      ["/credentials", "Credentials"],
      ["/models", "Models"],
      ["/keys", "API keys"],
      ["/people", "People"],
      ["/grants", "Grants"],
      ["/servers", "Servers"],
      ["/policy", "Policy"],
      ["/switches", "Kill switches"],
    ],
  ],
  [
    "Audit",
    [
      ["/seals", "Seals"],
      ["/events", "Events"],
    ],
  ],
];

/** The slug of the tenant whose page this is; null: a page of the operator's. */
export function tenantIn(path: string): string | null {
  const [, slug] = /^\/t\/([^/]+)/.exec(path.slice(consolePath.length)) ?? [];
  return slug === undefined ? null : decodeURIComponent(slug);
}

function NavLink({ href, title, path }: { href: string; title: string; path: string }) {
  const isHere = path === href;
  return (
    <a href={href} {...(isHere && { "aria-current": "page" as const })}>
      {title}
    </a>
  );
}

function TenantPages({ tenant, path }: { tenant: string; path: string }) {
  return (
    <>
      {groups.map(([group, pages]) => (
        <section key={group}>
          <h2>{group}</h2>
          {pages.map(([page, title]) => (
            <NavLink key={page} href={tenantPath(tenant, page)} title={title} path={path} />
          ))}
        </section>
      ))}
    </>
  );
}

function ThemeChoice() {
  return (
    <label class="theme">
      <span>Theme</span>
      <select
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = themes.find((each) => each === currentTarget.value) ?? "system";
        }}
      >
        {themes.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

function Who() {
  const actor = session.value?.actor;
  return (
    <div class="who">
      <p>
        {actor?.kind === "operator" ? "Operator" : `${actor?.role ?? ""} of ${actor?.tenant ?? ""}`}
      </p>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  );
}

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const tenant = tenantIn(path);
  // On a narrow screen the menu stands over the page, so a step to another page closes it.
  useEffect(() => setOpen(false), [path]);
  return (
    <div class="shell">
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <header class="bar">
        <a class="brand" href={consolePath}>
          Sampling Router
        </a>
        {tenant !== null && <span class="tenant">{tenant}</span>}
        <button
          type="button"
          class="menu quiet"
          aria-expanded={isOpen}
          aria-controls="places"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </header>
      <nav id="places" class={isOpen ? "open" : ""} aria-label="Pages">
        {isOperator.value && (
          <section>
            <h2>Operator</h2>
            <NavLink href={pathOf("/tenants")} title="Tenants" path={path} />
            <NavLink href={pathOf("/events")} title="All events" path={path} />
          </section>
        )}
        {tenant !== null && <TenantPages tenant={tenant} path={path} />}
        <section class="last">
          <ThemeChoice />
          <a href={`${prefix}/admin/v1/docs`} target="_blank" rel="noreferrer">
            API reference
          </a>
          <Who />
        </section>
      </nav>
      <main id="page" tabIndex={-1}>
        {tenant !== null && <Stopped key={tenant} tenant={tenant} />}
        {children}
      </main>
    </div>
  );
}
