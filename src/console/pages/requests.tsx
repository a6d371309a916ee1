import { useEffect, useRef, useState } from "preact/hooks";
import { count, duration, usdOfCall } from "../format.ts";
import { later } from "../later.tsx";
import { useLive } from "../live/use-live.ts";
import { useRead } from "../load.ts";
import {
  fileColumn,
  isoOf,
  numberColumn,
  textColumn,
  Time,
  type Column,
} from "../parts/columns.tsx";
import { Check } from "../parts/form.tsx";
import { Steps, useOpened, useQuery } from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { Badge, Button, Page, There } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath, requestPath, tenantHere } from "../place.ts";
import { causeText, outcomeWord } from "../requests/cause.ts";
import { Filters } from "../requests/filters.tsx";
import { askedFor, filters, mergedWith, withLive } from "../requests/live-list.ts";
import type { RequestRecord } from "../requests/record.ts";

const noFilters = Object.fromEntries([...filters, "cursor"].map((name) => [name, ""]));

const RequestDrawer = later(async () => (await import("./request.tsx")).RequestDrawer);

/** Opens the request in the drawer, unless the reader wants a new tab. */
const opening = (open: () => void) => (event: MouseEvent) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  open();
};

/** Its key, and the server and the tool or else the client. Deleted ones have only an id. */
const fromOf = ({ who }: RequestRecord, names: Names): (string | null)[] => [
  names[who.keyId] ?? who.keyId,
  names[who.serverId ?? ""] ?? who.serverId,
  who.tool ?? who.clientName,
];

type Shown = { names: Names; open: (id: string) => void };

const columnsOf = ({ names, open }: Shown): Column<RequestRecord>[] => [
  {
    title: "When",
    show: ({ id, createdAt }) => (
      <a href={requestPath(id)} aria-haspopup="dialog" onClick={opening(() => open(id))}>
        <Time at={createdAt} />
      </a>
    ),
    text: ({ createdAt }) => isoOf(createdAt),
  },
  fileColumn("Id", ({ id }) => id),
  { title: "Outcome", show: (record) => <Badge word={outcomeWord(record)} />, text: outcomeWord },
  {
    title: "Model",
    show: ({ model }) => model && <code>{model}</code>,
    text: ({ model }) => model,
  },
  numberColumn("Cost", ({ costUsd }) => costUsd, usdOfCall),
  textColumn("Error", (record) => causeText(record) || null, "error"),
  {
    title: "From",
    order: (record) => fromOf(record, names)[0] ?? null,
    show: (record) => {
      const from = fromOf(record, names).filter((each) => each !== null);
      return (
        <span class="brief line" title={from.join(", ")}>
          {from[0]}
        </span>
      );
    },
  },
  ...["Key", "Server", "Tool or client"].map((title, at) =>
    fileColumn<RequestRecord>(title, (record) => fromOf(record, names)[at] ?? null),
  ),
  {
    ...numberColumn<RequestRecord>(
      "Tokens",
      ({ usage }) => usage && usage.inputTokens + usage.outputTokens,
      count,
    ),
    isWide: true,
  },
  fileColumn("Tokens in", ({ usage }) => usage?.inputTokens ?? null),
  fileColumn("Tokens out", ({ usage }) => usage?.outputTokens ?? null),
  { ...numberColumn("Took", ({ totalMs }) => totalMs, duration), isWide: true },
  { title: "Id", isWide: true, show: ({ id }) => <code class="faint">{id.slice(-6)}</code> },
];

type Query = Readonly<Record<string, string>>;

/** Only the newest page can be live. */
function useRequestList({ query, isLive }: { query: Query; isLive: boolean }) {
  const wanted = { limit: "100", ...askedFor(query) };
  const loading = useRead("/admin/v1/tenants/{tenant}/requests", wanted as object);
  const { loaded, again } = loading;
  const [liveRecords, setLiveRecords] = useState<ReadonlyMap<string, RequestRecord>>(new Map());
  useEffect(() => setLiveRecords(new Map()), [tenantHere()]);
  // Names stay available when filters change.
  const names = useRef<Record<string, string>>({});
  if (loaded.state === "there") Object.assign(names.current, loaded.value.names);
  const isFollowing = useLive({
    isOn: isLive,
    hear(records) {
      setLiveRecords((before) => mergedWith(before, records));
      if (loaded.state !== "there") return;
      const unknown = records
        .flatMap(({ who }) => [who.keyId, who.serverId, who.user])
        .filter((id): id is string => typeof id === "string" && !(id in names.current));
      // Asked for once.
      for (const id of unknown) names.current[id] = id;
      if (unknown.length > 0) void again();
    },
    reload: again,
  });
  const rowsOf = (listed: { data: RequestRecord[]; nextCursor: string | null }) =>
    query["cursor"]
      ? { rows: listed.data, nextCursor: listed.nextCursor }
      : withLive(listed.data, liveRecords, {
          query: wanted,
          max: Number(wanted.limit),
          nextCursor: listed.nextCursor,
        });
  return { loading, rowsOf, names: names.current, isFollowing };
}

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
  const [query, change] = inAddress;
  const { shown, open, close } = useOpened(inAddress);
  const [isLive, setLive] = useState(true);
  const cursor = query["cursor"] ?? null;
  const isFiltered = filters.some((name) => query[name]);
  const list = useRequestList({ query, isLive: isLive && cursor === null });
  return (
    <Page
      title="Requests"
      lead="Newest first, with refused ones. Open one to see why it failed, or why its model was selected."
      actions={
        <>
          {isFiltered && <Button onClick={() => change(noFilters)}>Clear filters</Button>}
          {cursor === null && (
            <span title={list.isFollowing ? "Live" : "Every few seconds"}>
              <Check title="Live" name="live" value={isLive} onInput={setLive} />
            </span>
          )}
        </>
      }
    >
      <Filters {...{ inAddress, open }} names={list.names} />
      <There what="requests" loading={list.loading}>
        {(listed) => {
          const { rows, nextCursor } = list.rowsOf(listed);
          return (
            <Table
              name="Requests"
              columns={columnsOf({ names: list.names, open })}
              rows={rows}
              keyOf={({ id }) => id}
              open={({ id }) => open(id)}
              current={shown ?? null}
              isDense
              order={{ title: "When", isDescending: true }}
              empty={<NoRequests isFiltered={isFiltered} isOver={nextCursor === null} />}
              foot={
                <Steps
                  {...{ cursor, next: nextCursor }}
                  go={(to) => change({ cursor: to ?? "" })}
                />
              }
            />
          );
        }}
      </There>
      {shown !== undefined && <RequestDrawer id={shown} onClose={close} />}
    </Page>
  );
}
