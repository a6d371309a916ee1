import { useRef, useState } from "preact/hooks";
import { count, duration, usdOfCall } from "../format.ts";
import { later } from "../later.tsx";
import { useLive } from "../live.ts";
import { useRead, valueIn } from "../load.ts";
import { column, isoOf, Time, type Column } from "../parts/columns.tsx";
import { Check } from "../parts/form.tsx";
import { Steps, useOpened, useQuery } from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { Badge, Page, There } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath, requestPath } from "../place.ts";
import { causeText, outcomeWord } from "../requests/cause.ts";
import { Filters } from "../requests/filters.tsx";
import { askedFor, filters } from "../requests/query.ts";
import type { RequestRecord } from "../requests/record.ts";

const RequestDrawer = later(async () => (await import("./request.tsx")).RequestDrawer);

type Shown = { names: Names; open: (id: string) => void };

/** Opens the request in the drawer, unless the reader wants a new tab. */
const Opening = ({ id, createdAt, open }: RequestRecord & Pick<Shown, "open">) => (
  <a
    href={requestPath(id)}
    aria-haspopup="dialog"
    onClick={(event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      open(id);
    }}
  >
    <Time at={createdAt} />
  </a>
);

/** Its key, and the server and the tool or else the client. Deleted ones have only an id. */
const fromOf = ({ who }: RequestRecord, names: Names): (string | null)[] => [
  names[who.keyId] ?? who.keyId,
  names[who.serverId ?? ""] ?? who.serverId,
  who.tool ?? who.clientName,
];

const tokensOf = ({ usage }: RequestRecord) => usage && usage.inputTokens + usage.outputTokens;

const columnsOf = ({ names, open }: Shown): Column<RequestRecord>[] => [
  column.of(
    "When",
    ({ createdAt }) => isoOf(createdAt),
    (record) => <Opening {...record} open={open} />,
  ),
  column.file("Id", ({ id }) => id),
  column.of("Outcome", outcomeWord, (record) => <Badge word={outcomeWord(record)} />),
  column.of(
    "Model",
    ({ model }) => model,
    ({ model }) => model && <code title={model}>{model}</code>,
  ),
  column.number("Cost", ({ costUsd }) => costUsd, usdOfCall),
  column.text("Error", causeText, "error"),
  {
    title: "From",
    order: (record) => fromOf(record, names)[0] ?? null,
    show(record) {
      const from = fromOf(record, names).filter((each) => each !== null);
      return <span class="brief" title={from.join(", ")} children={from[0]} />;
    },
  },
  ...["Key", "Server", "Tool or client"].map((title, at) =>
    column.file<RequestRecord>(title, (record) => fromOf(record, names)[at] ?? null),
  ),
  column.number("Tokens", tokensOf, count),
  column.file("Tokens in", ({ usage }) => usage?.inputTokens ?? null),
  column.file("Tokens out", ({ usage }) => usage?.outputTokens ?? null),
  column.number("Took", ({ totalMs }) => totalMs, duration),
];

function NoRequests({ isFiltered, isOver }: { isFiltered: boolean; isOver: boolean }) {
  if (!isOver) return "No match in the newest 100,000 requests. “Older” continues the search.";
  if (isFiltered) return "No request matches these filters.";
  return (
    <>
      <p>No requests yet.</p>
      <a class="button" href={ownPath("/start")}>
        Send the first one
      </a>
    </>
  );
}

export function Requests() {
  const inAddress = useQuery();
  const [query, change, type] = inAddress;
  const { shown, open, close } = useOpened(inAddress);
  const [isOn, setOn] = useState(true);
  const { cursor = null } = query;
  const isFiltered = filters.some((name) => query[name]);
  const isLive = isOn && cursor === null;
  const asked = { limit: "100", ...askedFor(query) };
  const loading = useRead("/admin/v1/tenants/{tenant}/requests", asked as object);
  const isFollowing = useLive(isLive, loading.again);
  // Names stay available when filters change.
  const { current: names } = useRef<Record<string, string>>({});
  Object.assign(names, valueIn(loading)?.names);
  const ids = valueIn(loading)?.data.map(({ id }) => id) ?? [];
  const at = ids.indexOf(shown ?? "");
  const beside = at === -1 ? {} : { Newer: ids[at - 1], Older: ids[at + 1] };
  return (
    <Page
      title="Requests"
      lead="Newest first, with refused ones. Open one to see why it failed, or why its model was selected."
      actions={
        <>
          {isFiltered && <a class="button" href={ownPath("/requests")} children="Clear filters" />}
          {cursor === null && (
            <span title={isFollowing ? "Live" : "Every few seconds"}>
              <Check title="Live" name="live" value={isOn} onInput={setOn} />
            </span>
          )}
        </>
      }
    >
      <Filters {...{ inAddress, isFiltered, names, open }} />
      <There what="requests" loading={loading}>
        {({ data, nextCursor }) => (
          <Table
            name="Requests"
            columns={columnsOf({ names, open })}
            rows={data}
            keyOf={({ id }) => id}
            open={({ id }) => open(id)}
            current={shown ?? null}
            order={{ title: "When", isDescending: true }}
            empty={<NoRequests isFiltered={isFiltered} isOver={nextCursor === null} />}
            foot={
              <Steps cursor={cursor} next={nextCursor} go={(to) => change({ cursor: to ?? "" })} />
            }
          />
        )}
      </There>
      {shown !== undefined && (
        <RequestDrawer id={shown} onClose={close} beside={beside} go={(id) => type({ open: id })} />
      )}
    </Page>
  );
}
