import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { zone } from "./format.ts";
import { Button, Page, Pick } from "./parts/page.tsx";
import { isMissing, Stopped, tenantNow } from "./parts/stopped.tsx";
import { consolePath, ownPath, pathOf, prefix, tenantIn } from "./place.ts";
import { isOperator, session, signOut } from "./session.ts";
import { theme, themes } from "./theme.ts";

/** The first page is the section's own. */
type Section = readonly [title: string, ...pages: (readonly [page: string, title: string])[]];

const sections: readonly Section[] = [
  [
    "Overview",
    ["", "Overview"],
    ["/usage", "Usage"],
    ["/limits", "Limits"],
    ["/alerts", "Alerts"],
    ["/start", "First steps"],
  ],
  ["Requests", ["/requests", "Requests"], ["/sessions", "Sessions"], ["/playground", "Playground"]],
  ["Approvals", ["/approvals", "Approvals"]],
  [
    "People & keys",
    ["/keys", "API keys"],
    ["/people", "People"],
    ["/grants", "Connected programs"],
  ],
  ["Providers & models", ["/credentials", "Credentials"], ["/models", "Models"]],
  ["Servers", ["/servers", "Servers"]],
  ["Policy", ["/policy", "Policy"], ["/switches", "Kill switches"]],
  ["Audit", ["/seals", "Seals"], ["/events", "Events"]],
  ["Settings", ["/sign-on", "Single sign-on"]],
];
const operators: Section = ["Tenants", ["/tenants", "Tenants"], ["/events", "All events"]];

const hrefOf = (section: Section, page: string): string =>
  section === operators ? pathOf(page) : ownPath(page);

/** Also a request, which is a subpage. */
const isAt = (path: string, href: string): boolean =>
  path === href || (href.endsWith("/requests") && path.startsWith(`${href}/`));

function SectionLink({ section, path }: { section: Section; path: string }) {
  const [title, ...pages] = section;
  const hrefs = pages.map(([page]) => hrefOf(section, page));
  const [first = ""] = hrefs;
  const current = path === first ? "page" : hrefs.some((href) => isAt(path, href)) ? "true" : null;
  const waiting = title === "Approvals" && tenantNow.value?.waitingApprovals;
  return (
    <a href={first} {...(current !== null && { "aria-current": current })}>
      {title}
      {waiting ? (
        <span class="badge warn">
          {waiting}
          <span class="unseen"> pending</span>
        </span>
      ) : null}
    </a>
  );
}

function Tabs({ section, path }: { section: Section; path: string }) {
  const [name, ...pages] = section;
  const { range } = useLocation().query;
  if (pages.length < 2) return null;
  return (
    <nav class="tabs" aria-label={name}>
      {pages.map(([page, title]) => {
        const href = hrefOf(section, page);
        return (
          <a
            key={href}
            // The overview and usage are of the same time.
            href={range && /^(|\/usage)$/.test(page) ? `${href}?range=${range}` : href}
            {...(isAt(path, href) && { "aria-current": "page" })}
          >
            {title}
          </a>
        );
      })}
    </nav>
  );
}

function Last() {
  const { kind, name, role = "", tenant } = session.value?.actor ?? {};
  return (
    <section class="last">
      <Pick
        label="Theme"
        value={theme.value}
        options={themes}
        onPick={(picked) => (theme.value = picked)}
      />
      <p class="zone">
        Times: <span>{zone}</span>
      </p>
      <a href={`${prefix}/admin/v1/docs`} target="_blank" rel="noreferrer">
        API reference
      </a>
      <div class="who">
        <p>
          {name !== undefined && [<strong>{name}</strong>, ", "]}
          {kind === "operator" ? "Operator" : `${role} of ${tenant ?? ""}`}
        </p>
        <Button class="quiet" onClick={() => void signOut()}>
          Sign out
        </Button>
      </div>
    </section>
  );
}

const nowhere = "The console has no page at this address.";

export const NoSuch = ({ what = "page", text = nowhere }: { what?: string; text?: string }) => (
  <Page title={`No such ${what}`}>
    <p>
      {text} <a href={consolePath}>Go to the overview</a>
    </p>
  </Page>
);

const noTenant = "No tenant has this address, or you have no access to it.";

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const tenant = tenantIn(path);
  const { slug, name } = tenantNow.value ?? {};
  useEffect(() => setOpen(false), [path]);
  const isUnknown = tenant !== null && isMissing.value;
  const own = tenant === null || isUnknown ? [] : sections;
  const current = [...(isOperator.value ? [operators] : []), ...own].find((section) =>
    section.some((page) => page !== section[0] && isAt(path, hrefOf(section, page[0] ?? ""))),
  );
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
        {slug === tenant && name !== slug && <span class="tenant-name">{name}</span>}
        {tenant !== null && <span class="tenant">{tenant}</span>}
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
            <SectionLink section={operators} path={path} />
          </section>
        )}
        <section>
          {own.map((section) => (
            <SectionLink key={section[0]} {...{ section, path }} />
          ))}
        </section>
        <Last />
      </nav>
      <main id="page" tabIndex={-1}>
        {tenant !== null && <Stopped key={tenant} />}
        {current !== undefined && <Tabs section={current} path={path} />}
        {isUnknown ? <NoSuch what="tenant" text={noTenant} /> : children}
      </main>
    </div>
  );
}
