/** The list of requests. Its filters stand in the address. */
import { useState } from "preact/hooks";
import { count, duration, usd, words } from "../format.ts";
import { useLoaded, useRepeated } from "../load.ts";
import { Check, Choice, Field } from "../parts/form.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Steps, useQuery } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { askedOf, listRequests, type RequestRecord } from "../requests/record.ts";
import { RequestDrawer } from "./request.tsx";

type Outcome = RequestRecord["outcome"];

const refreshMs = 4_000;
const outcomes: readonly (readonly [Outcome | "", string])[] = [
  ["", "every outcome"],
  ["admitted", "still runs"],
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["refused", "refused"],
  ["cancelled", "cancelled"],
  ["unknown", "unknown"],
];
const sizes: readonly (readonly [string, string])[] = [
  ["", "50"],
  ["100", "100"],
  ["200", "200"],
];

const whoOf = ({ who }: RequestRecord): string =>
  [who.tool ?? "", who.clientName ?? "", who.keyId].find((each) => each !== "") ?? "";

const figures: Column<RequestRecord>[] = [
  {
    title: "Asked",
    isNumber: true,
    show: (record) => count(askedOf(record)?.characters),
    text: (record) => askedOf(record)?.characters ?? null,
  },
  {
    title: "Tokens in",
    isNumber: true,
    show: ({ usage }) => count(usage?.inputTokens),
    text: ({ usage }) => usage?.inputTokens ?? null,
  },
  {
    title: "Tokens out",
    isNumber: true,
    show: ({ usage }) => count(usage?.outputTokens),
    text: ({ usage }) => usage?.outputTokens ?? null,
  },
  {
    title: "Cost",
    isNumber: true,
    show: ({ costUsd }) => usd(costUsd),
    text: ({ costUsd }) => costUsd,
  },
  {
    title: "Took",
    isNumber: true,
    show: ({ totalMs }) => duration(totalMs),
    text: ({ totalMs }) => totalMs,
  },
];

const columnsOf = (open: (id: string) => void): Column<RequestRecord>[] => [
  {
    title: "When",
    show: ({ id, createdAt }) => (
      <button type="button" class="link" aria-haspopup="dialog" onClick={() => open(id)}>
        <Time at={createdAt} />
      </button>
    ),
    text: ({ createdAt }) => isoOf(createdAt),
  },
  {
    title: "Id",
    show: ({ id }) => <code class="faint">{id.slice(-6)}</code>,
    text: ({ id }) => id,
  },
  {
    title: "Outcome",
    show: ({ outcome, reason }) => (
      <>
        <Badge word={outcome} /> {reason !== null && <span class="faint">{words(reason)}</span>}
      </>
    ),
    text: ({ outcome }) => outcome,
  },
  {
    title: "Model",
    show: ({ model }) => (model === null ? "–" : <code>{model}</code>),
    text: ({ model }) => model,
  },
  { title: "Who", show: whoOf, text: whoOf },
  ...figures,
];

const filters = ["outcome", "model", "key", "server", "session", "from", "to"] as const;

interface FiltersProps {
  query: Readonly<Record<string, string>>;
  change: (changes: Record<string, string>) => void;
}

function Filters({ query, change }: FiltersProps) {
  // Another filter begins at the newest.
  const filter = (changes: Record<string, string>) => change({ ...changes, cursor: "" });
  const field = (name: (typeof filters)[number], title: string, placeholder: string) => (
    <Field
      title={title}
      name={name}
      value={query[name] ?? ""}
      placeholder={placeholder}
      onInput={(value) => filter({ [name]: value.trim() })}
    />
  );
  const day = (name: "from" | "to", title: string) => (
    <Field
      title={title}
      name={name}
      type="date"
      value={query[name] ?? ""}
      onInput={(value) => filter({ [name]: value })}
    />
  );
  return (
    <div class="filters" role="search" aria-label="Filters">
      <Choice
        title="Outcome"
        name="outcome"
        value={(query["outcome"] ?? "") as Outcome | ""}
        options={outcomes}
        onInput={(outcome) => filter({ outcome })}
      />
      {field("model", "Model", "openai/gpt-5.4-mini")}
      {field("key", "Key", "key_…")}
      {field("server", "Server", "srv_…")}
      {day("from", "From (UTC)")}
      {day("to", "To (UTC)")}
      <Choice
        title="Rows"
        name="limit"
        value={query["limit"] ?? ""}
        options={sizes}
        onInput={(limit) => filter({ limit })}
      />
    </div>
  );
}

/** As the API takes it: what is empty is left out. */
const askedFor = (query: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    [...filters, "cursor", "limit"].flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  );

export function Requests({ params: { tenant } }: { params: { tenant: string } }) {
  const [query, change] = useQuery();
  const [isLive, setLive] = useState(true);
  const wanted = askedFor(query);
  const loading = useLoaded(`requests of ${tenant} ${JSON.stringify(wanted)}`, () =>
    listRequests(tenant, wanted),
  );
  const cursor = query["cursor"] ?? null;
  useRepeated(isLive && cursor === null ? refreshMs : null, loading.again);
  const shown = query["open"];
  const isFiltered = filters.some((name) => query[name]);
  return (
    <Page
      title="Requests"
      lead="Every sampling request, refused ones included. A row opens with why that model was chosen."
      actions={<Check title="Live" name="live" value={isLive} onInput={setLive} />}
    >
      <Filters query={query} change={change} />
      <There what="requests" loading={loading}>
        {({ data, nextCursor }) => (
          <Table
            name="Requests"
            columns={columnsOf((open) => change({ open }))}
            rows={data}
            keyOf={({ id }) => id}
            current={shown ?? null}
            empty={
              isFiltered
                ? "No request matches these filters."
                : "No request has come yet. “First steps” shows how to send one."
            }
            foot={
              <Steps {...{ cursor, next: nextCursor }} go={(to) => change({ cursor: to ?? "" })} />
            }
          />
        )}
      </There>
      {shown !== undefined && (
        <RequestDrawer tenant={tenant} id={shown} onClose={() => change({ open: "" })} />
      )}
    </Page>
  );
}
