import type { Schemas } from "../api.ts";
import { actionTexts } from "../action-texts.ts";
import { changeText, memberTitle, policyChanges } from "../policy-changes.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Page } from "../parts/page.tsx";
import { Listed } from "../parts/listed.tsx";
import { Named, type Names } from "../parts/named.tsx";
import { usePaging, useQuery, type Paging } from "../parts/pages.tsx";
import { Field } from "../parts/form.tsx";
import { timeColumn } from "../parts/columns.tsx";
import type { Column } from "../parts/table.tsx";

type Event = Schemas["AdminEvent"];

function Details({ event, events }: { event: Event; events: readonly Event[] }) {
  const changes = policyChanges(event, events);
  if (Object.keys(event.detail).length === 0 && changes === null) return <>–</>;
  const members = changes?.map(({ member }) => memberTitle(member)).join(", ");
  return (
    <details>
      <summary>{members === undefined ? "Show" : members === "" ? "Nothing" : members}</summary>
      {changes?.map((change) => (
        <p key={change.member}>{changeText(change)}</p>
      ))}
      <CodeBlock title="Full event" text={JSON.stringify(event.detail, null, 2)} />
    </details>
  );
}

const columnsOf = (names: Names, events: readonly Event[]): Column<Event>[] => [
  timeColumn("When", ({ at }) => at),
  {
    title: "Who",
    show: ({ actor }) => <Named id={actor} names={names} />,
    text: ({ actor }) => actor,
  },
  {
    title: "What",
    show: ({ action }) => <span title={action}>{actionTexts(action)}</span>,
    text: ({ action }) => action,
  },
  {
    title: "To what",
    // Session ids are meaningless to readers.
    show: ({ target }) =>
      target.startsWith("con_") ? "the console" : <Named id={target} names={names} />,
    text: ({ target }) => target,
  },
  {
    title: "What changed",
    show: (event) => <Details event={event} events={events} />,
    text: ({ detail }) => JSON.stringify(detail),
  },
];

const tenantColumn = (names: Names): Column<Event> => ({
  title: "Tenant",
  show: ({ tenantId }) => (tenantId === null ? "–" : <Named id={tenantId} names={names} />),
  text: ({ tenantId }) => tenantId,
});

const textOf = ({ tenantId, actor, action, target, detail }: Event, names: Names): string =>
  `${names[tenantId ?? ""] ?? ""} ${actor} ${names[actor] ?? ""} ${action} ${actionTexts(action)} ${target} ${names[target] ?? ""} ${JSON.stringify(detail)}`.toLowerCase();

interface EventsPageProps {
  title: string;
  paging: Paging<Event>;
  names: Names;
  more?: readonly Column<Event>[];
}

function EventsPage({ title, paging, names, more = [] }: EventsPageProps) {
  const [query, , type] = useQuery();
  const wanted = (query["find"] ?? "").toLowerCase();
  const { loaded } = paging.loading;
  const events = loaded.state === "there" ? loaded.value.data : [];
  return (
    <Page title={title} lead="All changes made in the console or by the admin API, newest first.">
      <div class="filters">
        <Field
          title="Filter this page"
          name="find"
          value={query["find"] ?? ""}
          onInput={(find) => type({ find })}
          placeholder="For example, policy"
        />
      </div>
      <Listed
        what="events"
        paging={paging}
        name={title}
        columns={columnsOf(names, events).toSpliced(1, 0, ...more)}
        keep={(event) => textOf(event, names).includes(wanted)}
        keyOf={({ id }) => id}
        empty="No matching events on this page. Older ones may be on the next."
      />
    </Page>
  );
}

const limit = 200;

export function AllEvents() {
  const paging = usePaging("/admin/v1/events", { limit });
  const { loaded } = paging.loading;
  const { names = {} } = loaded.state === "there" ? loaded.value : {};
  return <EventsPage {...{ paging, names }} title="All events" more={[tenantColumn(names)]} />;
}

export function Events() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/events", { limit });
  const { loaded } = paging.loading;
  const names = loaded.state === "there" ? loaded.value.names : {};
  return <EventsPage title="Events" paging={paging} names={names} />;
}
