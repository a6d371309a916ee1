/** Who changed what, and when. */
import { api, asked, type Schemas } from "../api.ts";
import { useLoaded } from "../load.ts";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Listed } from "../parts/listed.tsx";
import { usePaging, useQuery } from "../parts/pages.tsx";
import { Field } from "../parts/form.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";

type Event = Schemas["AdminEvent"];
type Names = Readonly<Record<string, string>>;

/** By name where it is an API key whose name is known. */
const Named = ({ id, names }: { id: string; names: Names }) =>
  names[id] === undefined ? <code>{id}</code> : <span title={id}>{names[id]}</span>;

const columnsOf = (names: Names): Column<Event>[] => [
  { title: "When", show: ({ at }) => <Time at={at} />, text: ({ at }) => isoOf(at) },
  {
    title: "Who",
    show: ({ actor }) => <Named id={actor} names={names} />,
    text: ({ actor }) => actor,
  },
  { title: "What", show: ({ action }) => action, text: ({ action }) => action },
  {
    title: "To what",
    show: ({ target }) => <Named id={target} names={names} />,
    text: ({ target }) => target,
  },
  {
    title: "Details",
    show: ({ detail }) =>
      Object.keys(detail).length === 0 ? (
        "–"
      ) : (
        <details>
          <summary>Show</summary>
          <pre>{JSON.stringify(detail, null, 2)}</pre>
        </details>
      ),
    text: ({ detail }) => JSON.stringify(detail),
  },
];

const textOf = ({ actor, action, target, detail }: Event, names: Names): string =>
  `${actor} ${names[actor] ?? ""} ${action} ${target} ${names[target] ?? ""} ${JSON.stringify(detail)}`.toLowerCase();

interface EventsOfProps {
  title: string;
  /** which of them the page is about; null: all */
  isOf: ((event: Event) => boolean) | null;
  names: Names;
}

function EventsOf({ title, isOf, names }: EventsOfProps) {
  const paging = usePaging<Event>("events", (query) =>
    asked(api.GET("/admin/v1/events", { params: { query: { ...query, limit: 200 } } })),
  );
  const [query, change] = useQuery();
  const wanted = (query["find"] ?? "").toLowerCase();
  return (
    <Page title={title} lead="Every change that was made over the admin API: who, what, when.">
      <div class="filters">
        <Field
          title="Find on this page"
          name="find"
          value={query["find"] ?? ""}
          onInput={(find) => change({ find })}
          placeholder="policy"
        />
      </div>
      <Listed
        what="events"
        paging={paging}
        name={title}
        columns={columnsOf(names)}
        isShown={(event) => (isOf === null || isOf(event)) && textOf(event, names).includes(wanted)}
        keyOf={({ id }) => id}
        empty="No such change is on this page of the log. Older ones may be on the next."
      />
    </Page>
  );
}

export const AllEvents = () => <EventsOf title="All events" isOf={null} names={{}} />;

/** The operator reads the log of all tenants. So a tenant's page leaves the others' out. */
export function Events({ params: { tenant } }: { params: { tenant: string } }) {
  return <TenantEvents tenant={tenant} />;
}

/** The newest keys have their names here, and older ones their ids. */
const mostNames = 200;

function TenantEvents({ tenant }: { tenant: string }) {
  const loading = useLoaded(`tenant ${tenant}`, () =>
    asked(api.GET("/admin/v1/tenants/{tenant}", { params: { path: { tenant } } })),
  );
  const keys = useLoaded(`names of keys of ${tenant}`, () =>
    asked(
      api.GET("/admin/v1/tenants/{tenant}/keys", {
        params: { path: { tenant }, query: { limit: mostNames } },
      }),
    ),
  );
  const listed = keys.loaded.state === "there" ? keys.loaded.value.data : [];
  const names = Object.fromEntries(listed.map(({ id, name }) => [id, name]));
  return (
    <There what="the tenant" loading={loading}>
      {({ id }) => (
        <EventsOf title="Events" isOf={({ tenantId }) => tenantId === id} names={names} />
      )}
    </There>
  );
}
