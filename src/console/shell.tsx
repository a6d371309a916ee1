import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { Stopped, tenantNames } from "./parts/stopped.tsx";
import { zone } from "./locale.ts";
import { consolePath, pathOf, prefix, tenantIn, tenantPath } from "./place.ts";
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

interface NavLinkProps {
  href: string;
  title: string;
  path: string;
  /** its address is a prefix of the others */
  isFirst?: boolean;
}

/** Also marks subpages as current. */
function NavLink({ href, title, path, isFirst = false }: NavLinkProps) {
  const current = path === href ? "page" : !isFirst && path.startsWith(`${href}/`) ? "true" : null;
  return (
    <a href={href} {...(current !== null && { "aria-current": current })}>
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
            <NavLink
              key={page}
              href={tenantPath(tenant, page)}
              title={title}
              path={path}
              isFirst={page === ""}
            />
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
  const { kind, name, role = "", tenant } = session.value?.actor ?? {};
  const part = kind === "operator" ? "Operator" : `${role} of ${tenant ?? ""}`;
  return (
    <div class="who">
      <p>
        {name !== undefined && (
          <>
            <strong>{name}</strong>,{" "}
          </>
        )}
        {part}
      </p>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  );
}

function Tenant({ slug }: { slug: string }) {
  const name = tenantNames.value[slug] ?? slug;
  return (
    <>
      {name !== slug && <span class="tenant-name">{name}</span>}
      <span class="tenant">{slug}</span>
    </>
  );
}

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const tenant = tenantIn(path);
  useEffect(() => setOpen(false), [path]);
  const menu = useRef<HTMLButtonElement>(null);
  const closeOnEscape = ({ key }: KeyboardEvent): void => {
    if (key !== "Escape" || !isOpen) return;
    setOpen(false);
    menu.current?.focus();
  };
  return (
    <div class="shell" onKeyDown={closeOnEscape}>
      <a class="skip" href="#page">
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href={consolePath}>
          Sampling Router
        </a>
        {tenant !== null && <Tenant slug={tenant} />}
        <button
          ref={menu}
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
          <p class="zone">
            Times: <span>{zone}</span>
          </p>
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
