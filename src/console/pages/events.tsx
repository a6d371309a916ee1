import { useEffect, useRef, useState } from "preact/hooks";
import { actionTexts } from "../action-texts.ts";
import type { Schemas } from "../api.ts";
import { none, zone } from "../format.ts";
import { useLoaded, useRead, valueIn } from "../load.ts";
import { column, timeColumn, type Column } from "../parts/columns.tsx";
import { Fields, type FieldOf } from "../parts/form.tsx";
import { Listed, usePaging, useQuery, type Paging, type Query } from "../parts/list-page.tsx";
import { Named, namesIn, type Names } from "../parts/named.tsx";
import { Page } from "../parts/page.tsx";
import { tenantHere, tenantPath } from "../place.ts";
import { changeText, detailTexts, memberTitle, policyChanges } from "../policy-changes.ts";
import { ok } from "../problem.ts";
import { momentIn } from "../requests/query.ts";

type Event = Schemas["AdminEvent"];
type Tenant = Record<"id" | "slug" | "name", string>;

/** Of a tenant's events, or of all. */
type Around = { events: readonly Event[]; names: Names; slugs: Names };
type Shown = { event: Event; around: Around };

function Details({ event, around: { events, names } }: Shown) {
  const changes = policyChanges(event, events);
  const lines = changes?.map(changeText) ?? detailTexts(event, names);
  const text = lines.join("; ");
  if (text.length <= 90) return <span class="note">{text || none}</span>;
  const members = changes?.map(({ member }) => memberTitle(member)) ?? [];
  const short = members.length > 1 ? members.join(", ") : `${text.slice(0, 80)}…`;
  return (
    <details class="note">
      <summary>{short}</summary>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </details>
  );
}

const pages: readonly (readonly [kind: RegExp, page: (id: string) => string])[] = [
  [/^(policy|ceiling) /, () => "/policy"],
  [/^sign_in.* ten_/, () => "/sign-on"],
  [/^catalogue |^model /, () => "/models"],
  [/ key_/, () => "/keys"],
  [/ cred_/, () => "/credentials"],
  [/ srv_/, () => "/servers"],
  [/ usr_/, () => "/people"],
  [/ ses_/, () => "/sessions"],
  [/ req_/, (id) => `/requests/${id}`],
  [/ ten_/, () => ""],
];

function Target({ event, around: { names, slugs } }: Shown) {
  const { action, target, tenantId } = event;
  // Session ids are meaningless to readers.
  if (target.startsWith("con_")) return <>the console</>;
  const slug = tenantHere() || slugs[tenantId ?? ""];
  const [area = ""] = action.split(".");
  const [, page] = pages.find(([kind]) => kind.test(`${area} ${target}`)) ?? [];
  const shown = <Named id={target} names={names} />;
  if (page === undefined || slug === undefined || action.endsWith("delete")) return shown;
  return <a href={tenantPath(slug, page(target))}>{shown}</a>;
}

const idColumn = (title: string, { names }: Around, of: (event: Event) => string | null) =>
  column(title, of, (event) => <Named id={of(event) ?? none} names={names} />);

const columnsOf = (around: Around, isOfAll: boolean): Column<Event>[] => [
  timeColumn("When", ({ at }) => at),
  ...(isOfAll ? [idColumn("Tenant", around, ({ tenantId }) => tenantId)] : []),
  idColumn("Who", around, ({ actor }) => actor),
  column(
    "What",
    ({ action }) => action,
    ({ action }) => (
      <span class="nowrap" title={action}>
        {actionTexts(action)}
      </span>
    ),
  ),
  column(
    "To what",
    ({ target }) => target,
    (event) => <Target {...{ event, around }} />,
  ),
  column(
    "What changed",
    ({ detail }) => JSON.stringify(detail),
    (event) => <Details {...{ event, around }} />,
  ),
];

const areas = [
  ["", "everything"],
  ["key.", "API keys"],
  ["approval.", "approvals"],
  ["policy.", "policy"],
  ["ceiling.", "ceiling"],
  ["credential.", "credentials"],
  ["model.", "models"],
  ["server.", "servers"],
  ["user.", "people"],
  ["sign_in.", "sign-ins"],
  ["oauth.", "programs with access"],
  ["session.", "sessions"],
  ["request.", "requests"],
  ["alert.", "alerts"],
  ["webhook.", "webhooks"],
  ["tenant.", "tenant"],
  ["audit.", "tampering"],
] as const;

type Option = readonly [value: string, title: string];
type Offered = { names: Names; tenants: readonly Tenant[] | undefined };

const actorsIn = (names: Names, chosen: string): Option[] => {
  const known = Object.entries(names).filter(([id]) => /^(key|usr)_/.test(id));
  return [
    ["", "everyone"],
    ["operator", "the operator"],
    ["router", "the router"],
    ...known.toSorted(([, one], [, other]) => one.localeCompare(other)),
    ...(/^(key|usr)_/.test(chosen) && !names[chosen] ? [[chosen, chosen] as const] : []),
  ];
};

const noFilters = { action: "", actor: "", tenant: "", text: "", from: "", to: "" };
type Filters = typeof noFilters;

/** The filters in the address, as the API's. */
const askedFor = (query: Query[0]): Record<string, string | number> =>
  Object.fromEntries([
    ["limit", 200],
    ...Object.keys(noFilters).flatMap((name) =>
      query[name] ? [[name, momentIn(name, query[name])]] : [],
    ),
  ]);

const tenantField = (tenants: readonly Tenant[]): FieldOf<Filters> => ({
  name: "tenant",
  title: "Tenant",
  options: [["", "all"], ...tenants.map(({ id, name }): Option => [id, name])],
});

const fieldsOf = (draft: Filters, { names, tenants }: Offered): FieldOf<Filters>[] => [
  { name: "action", title: "What", options: areas },
  { name: "actor", title: "Who", options: actorsIn(names, draft.actor) },
  ...(tenants === undefined ? [] : [tenantField(tenants)]),
  { name: "text", title: "Contains" },
  { name: "from", title: "From", type: "date", max: draft.to || undefined },
  { name: "to", title: "To", type: "date", min: draft.from || undefined },
];

interface EventsPageProps {
  title: string;
  paging: Paging<Event, { names?: Names }>;
  tenants?: readonly Tenant[];
}

/** Names stay known when filters change. */
function useNames(found: Names | undefined, isWanted: boolean): Names {
  const { current: names } = useRef({ operator: "operator", router: "router" });
  Object.assign(names, found);
  useLoaded(isWanted ? "names" : "", async () =>
    ok(isWanted && Object.assign(names, await namesIn())),
  );
  return names;
}

function EventsPage({ title, paging, tenants }: EventsPageProps) {
  const [query, change, type] = useQuery();
  const [text, setText] = useState(query["text"] ?? "");
  useEffect(() => {
    if (text === (query["text"] ?? "")) return undefined;
    const typed = setTimeout(() => type({ text }), 300);
    return () => clearTimeout(typed);
  }, [text]);
  const value = valueIn(paging.loading);
  const [isWanted, setWanted] = useState(false);
  const want = () => setWanted(tenants === undefined);
  const names = useNames(value?.names, isWanted);
  const draft = { ...noFilters, ...query, text };
  // With them, the policy before an event may not be listed.
  const isPart = draft.actor !== "" || draft.text !== "";
  const around = {
    names,
    events: value !== undefined && !isPart ? value.data : [],
    slugs: Object.fromEntries((tenants ?? []).map(({ id, slug }) => [id, slug])),
  };
  return (
    <Page
      title={title}
      lead={`All changes made in the console or by the admin API, newest first. Time zone: ${zone}.`}
    >
      <div
        class="filters"
        role="search"
        aria-label="Filters"
        onPointerEnter={want}
        onFocusIn={want}
      >
        <Fields
          of={fieldsOf(draft, { names, tenants })}
          draft={draft}
          change={({ text: typed, ...chosen }) =>
            typed === undefined ? change(chosen) : setText(typed)
          }
        />
      </div>
      <Listed
        paging={paging}
        name={title}
        columns={columnsOf(around, tenants !== undefined)}
        keyOf={({ id }) => id}
        empty={
          value?.nextCursor
            ? "No match among these events. “Older” continues the search."
            : "No event matches."
        }
      />
    </Page>
  );
}

export function AllEvents() {
  const [query] = useQuery();
  const paging = usePaging("/admin/v1/events", askedFor(query));
  const tenants = valueIn(useRead("/admin/v1/tenants", { limit: 200 }))?.data ?? [];
  return <EventsPage {...{ paging, tenants }} title="All events" />;
}

export function Events() {
  const [query] = useQuery();
  const paging = usePaging("/admin/v1/tenants/{tenant}/events", askedFor(query));
  return <EventsPage paging={paging} title="Events" />;
}
