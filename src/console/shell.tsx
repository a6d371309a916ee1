import { Button } from "./parts/card.tsx";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { Stopped, tenantNames } from "./parts/stopped.tsx";
import { zone } from "./locale.ts";
import { consolePath, ownPath, pathOf, prefix, tenantIn } from "./place.ts";
import { isOperator, session, signOut } from "./session.ts";
import { theme, themes } from "./theme.ts";

type PageLink = readonly [page: string, title: string];
/** A section with its pages. The first page is the section's own. */
type Section = readonly [title: string, ...pages: PageLink[]];

const sections: readonly Section[] = [
  ["Overview", ["", "Overview"], ["/usage", "Usage"], ["/limits", "Limits"], ["/alerts", "Alerts"]],
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
  ["Settings", ["/sign-on", "Single sign-on"], ["/start", "First steps"]],
];
const operators: Section = ["Tenants", ["/tenants", "Tenants"], ["/events", "All events"]];

interface PlacedSection {
  title: string;
  pages: { href: string; title: string }[];
}

const placed = ([title, ...pages]: Section, hrefOf: (page: string) => string): PlacedSection => ({
  title,
  pages: pages.map(([page, its]) => ({ href: hrefOf(page), title: its })),
});

/** Also for subpages, for example a request. */
const isAt = (path: string, href: string, isFirst: boolean): boolean =>
  path === href || (!isFirst && path.startsWith(`${href}/`));

const isIn = (path: string, { pages }: PlacedSection): boolean =>
  pages.some(({ href }, at) => isAt(path, href, at === 0 && !href.endsWith("/requests")));

function SectionLink({ section, path }: { section: PlacedSection; path: string }) {
  const href = section.pages[0]?.href ?? "";
  const current = path === href ? "page" : isIn(path, section) ? "true" : null;
  return (
    <a href={href} {...(current !== null && { "aria-current": current })}>
      {section.title}
    </a>
  );
}

function Tabs({ section, path }: { section: PlacedSection; path: string }) {
  if (section.pages.length < 2) return null;
  return (
    <nav class="tabs" aria-label={section.title}>
      {section.pages.map(({ href, title }) => (
        <a
          key={href}
          href={href}
          {...(isAt(path, href, !href.endsWith("/requests")) && { "aria-current": "page" })}
        >
          {title}
        </a>
      ))}
    </nav>
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
      <Button class="quiet" onClick={() => void signOut()}>
        Sign out
      </Button>
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

const Last = () => (
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
);

function sectionsAt(path: string, tenant: string | null) {
  const own =
    tenant === null ? [] : sections.map((section) => placed(section, (page) => ownPath(page)));
  const all = isOperator.value ? [placed(operators, pathOf), ...own] : own;
  return { own, current: all.find((section) => isIn(path, section)) };
}

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const tenant = tenantIn(path);
  useEffect(() => setOpen(false), [path]);
  const { own, current } = sectionsAt(path, tenant);
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
            <SectionLink section={placed(operators, pathOf)} path={path} />
          </section>
        )}
        <section>
          {own.map((section) => (
            <SectionLink key={section.title} {...{ section, path }} />
          ))}
        </section>
        <Last />
      </nav>
      <main id="page" tabIndex={-1}>
        {tenant !== null && <Stopped key={tenant} />}
        {current !== undefined && <Tabs section={current} path={path} />}
        {children}
      </main>
    </div>
  );
}
