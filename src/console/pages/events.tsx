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

const columns: Column<Event>[] = [
  { title: "When", show: ({ at }) => <Time at={at} />, text: ({ at }) => isoOf(at) },
  { title: "Who", show: ({ actor }) => <code>{actor}</code>, text: ({ actor }) => actor },
  { title: "What", show: ({ action }) => action, text: ({ action }) => action },
  { title: "To what", show: ({ target }) => <code>{target}</code>, text: ({ target }) => target },
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

const textOf = ({ actor, action, target, detail }: Event): string =>
  `${actor} ${action} ${target} ${JSON.stringify(detail)}`.toLowerCase();

interface EventsOfProps {
  title: string;
  /** which of them the page is about; null: all */
  isOf: ((event: Event) => boolean) | null;
}

function EventsOf({ title, isOf }: EventsOfProps) {
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
        columns={columns}
        isShown={(event) => (isOf === null || isOf(event)) && textOf(event).includes(wanted)}
        keyOf={({ id }) => id}
        empty="No such change is on this page of the log. Older ones may be on the next."
      />
    </Page>
  );
}

export const AllEvents = () => <EventsOf title="All events" isOf={null} />;

/** The operator reads the log of all tenants. So a tenant's page leaves the others' out. */
export function Events({ params: { tenant } }: { params: { tenant: string } }) {
  return <TenantEvents tenant={tenant} />;
}

function TenantEvents({ tenant }: { tenant: string }) {
  const loading = useLoaded(`tenant ${tenant}`, () =>
    asked(api.GET("/admin/v1/tenants/{tenant}", { params: { path: { tenant } } })),
  );
  return (
    <There what="the tenant" loading={loading}>
      {({ id }) => <EventsOf title="Events" isOf={({ tenantId }) => tenantId === id} />}
    </There>
  );
}
