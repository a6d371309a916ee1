import { useRef, useState } from "preact/hooks";
import { actionAreas, actionTexts } from "../action-texts.ts";
import { api, type Schemas } from "../api.ts";
import { none, zone } from "../format.ts";
import { useLoaded, valueIn } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { Fields, type FieldOf } from "../parts/form.tsx";
import { Listed, usePaging, useQuery } from "../parts/list-page.tsx";
import { Named, namesIn, type Names } from "../parts/named.tsx";
import { Badge, FoldedFilters, Page } from "../parts/page.tsx";
import { tenantHere, tenantPath } from "../place.ts";
import { changeText, detailTexts, policyChanges, switchAction } from "../policy-changes.ts";
import { ok, type Asked } from "../problem.ts";
import { askedFor } from "../requests/query.ts";

type Event = Schemas["AdminEvent"];

/** Of a tenant's events, or of all. */
type Around = { events: readonly Event[]; names: Names; slugs: Names };
type Shown = { event: Event; around: Around };

function Details({ event, around: { events, names } }: Shown) {
  const lines = policyChanges(event, events)?.map(changeText) ?? detailTexts(event, names);
  const text = lines.join("; ");
  if (text === "") return none;
  if (lines.length === 1 || text.length <= 90) return <span class="note">{text}</span>;
  return (
    <details class="note">
      <summary>{lines[0]}; …</summary>
      {lines.slice(1).map((line) => (
        <p key={line}>{line}</p>
      ))}
    </details>
  );
}

function Act({ event, event: { action }, around: { events } }: Shown) {
  const text = switchAction(policyChanges(event, events)) ?? actionTexts(action);
  return (
    <span title={action}>
      {/^(audit|row)\./.test(action) ? <Badge word={text} tone="bad" /> : text}
    </span>
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

const Brief = ({ id, names, width = "" }: { id: string; names: Names; width?: string }) => (
  <span class={`brief ${width}`}>
    <Named id={id} names={names} />
  </span>
);

function Target({ event, around: { names, slugs } }: Shown) {
  const { action, target, tenantId } = event;
  // Session ids are meaningless to readers.
  if (target.startsWith("con_")) return <>the console</>;
  const slug = tenantHere() || slugs[tenantId ?? ""];
  const [area = ""] = action.split(".");
  const [, page] = pages.find(([kind]) => kind.test(`${area} ${target}`)) ?? [];
  const shown = <Brief id={target} names={names} />;
  if (page === undefined || slug === undefined || action.endsWith("delete")) return shown;
  return <a href={tenantPath(slug, page(target))}>{shown}</a>;
}

const idColumn = (title: string, { names }: Around, of: (event: Event) => string | null) =>
  column.of(title, of, (event) => {
    const id = of(event);
    return id && <Brief {...{ id, names }} width="line" />;
  });

const columnsOf = (around: Around, isOfAll: boolean): Column<Event>[] => [
  column.time("When", ({ at }) => at),
  ...(isOfAll ? [idColumn("Tenant", around, ({ tenantId }) => tenantId)] : []),
  idColumn("Who", around, ({ actor }) => actor),
  column.of(
    "What",
    ({ action }) => action,
    (event) => <Act {...{ event, around }} />,
  ),
  column.of(
    "To what",
    ({ target }) => target,
    (event) => <Target {...{ event, around }} />,
  ),
  column.of(
    "What changed",
    ({ detail }) => JSON.stringify(detail),
    (event) => <Details {...{ event, around }} />,
  ),
];

const actorsIn = (names: Names, chosen: string): [id: string, name: string][] => [
  ["", "everyone"],
  ["operator", "the operator"],
  ["router", "the router"],
  ...Object.entries({ [chosen]: chosen, ...names })
    .filter(([id]) => /^(key|usr)_/.test(id))
    .toSorted(([, one], [, other]) => one.localeCompare(other)),
];

/** By default, without the many sign-ins, which change nothing. */
const noFilters = { action: "!access.", actor: "", tenant: "", text: "", from: "", to: "" };
type Filters = typeof noFilters;

type Tenants = readonly Record<"id" | "slug" | "name", string>[];

const actionChoices = [
  [noFilters.action, "changes"],
  ["*", "changes and sign-ins"],
  ...actionAreas,
] as const;

const fieldsOf = (draft: Filters, names: Names, tenants: Tenants): FieldOf<Filters>[] => [
  { name: "action", title: "What", options: actionChoices },
  { name: "actor", title: "Who", options: actorsIn(names, draft.actor) },
  {
    name: "tenant",
    title: "Tenant",
    options: [["", "all"], ...tenants.map(({ id, name }) => [id, name] as const)],
  },
  { name: "text", title: "Contains" },
  { name: "from", title: "From", type: "date", max: draft.to || undefined },
  { name: "to", title: "To", type: "date", min: draft.from || undefined },
];

/** Those of filters are read when they are wanted. Names stay known when filters change. */
function useNames(found: Names | undefined, isWanted: boolean): Names {
  const { current: names } = useRef({ operator: "operator", router: "router" });
  const loading = useLoaded(`names ${isWanted}`, async () => ok(isWanted ? await namesIn() : {}));
  return Object.assign(names, found, valueIn(loading));
}

const tenantsIf = async (isOfAll: boolean): Promise<Asked<{ data: Tenants }>> =>
  isOfAll ? api.GET("/admin/v1/tenants", { limit: 200 }) : ok({ data: [] });

/** Of a tenant, or of all. */
export function Events() {
  const [query, change, type] = useQuery();
  const draft = { ...noFilters, ...query };
  const isOfAll = tenantHere() === "";
  const paging = usePaging(isOfAll ? "/admin/v1/events" : "/admin/v1/tenants/{tenant}/events", {
    limit: 100,
    ...askedFor({ ...draft, action: draft.action.replace("*", "") }, Object.keys(noFilters)),
  });
  const tenants = valueIn(useLoaded("tenants", () => tenantsIf(isOfAll)))?.data ?? [];
  const value = valueIn(paging.loading);
  const [isWanted, setWanted] = useState(false);
  const want = () => setWanted(true);
  const names = useNames(value?.names, isWanted && !isOfAll);
  // With them, the policy before an event may not be listed.
  const isPart = draft.actor !== "" || draft.text !== "";
  const around = {
    names,
    events: value !== undefined && !isPart ? value.data : [],
    slugs: Object.fromEntries(tenants.map(({ id, slug }) => [id, slug])),
  };
  const title = isOfAll ? "All events" : "Events";
  const fields = fieldsOf(draft, names, tenants).filter(({ name }) => isOfAll || name !== "tenant");
  return (
    <Page
      title={title}
      lead={`All changes made in the console or by the admin API, newest first. Time zone: ${zone}.`}
    >
      <FoldedFilters isSet={Object.keys(noFilters).some((name) => query[name])} want={want}>
        <Fields
          of={fields}
          draft={draft}
          change={(changes) => ("text" in changes ? type(changes) : change(changes))}
        />
      </FoldedFilters>
      <div class="log">
        <Listed
          paging={paging}
          name={title}
          columns={columnsOf(around, isOfAll)}
          keyOf={({ id }) => id}
          empty={
            value?.nextCursor
              ? "No match among these events. “Older” continues the search."
              : "No event matches."
          }
        />
      </div>
    </Page>
  );
}
