import { useState } from "preact/hooks";
import { count, duration, none, usdOfCall } from "../format.ts";
import { later } from "../later.tsx";
import { Button } from "../parts/card.tsx";
import { numberColumn, textColumn } from "../parts/cells.tsx";
import { fileColumn } from "../parts/columns.tsx";
import { Check } from "../parts/form.tsx";
import type { Names } from "../parts/named.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Steps, useOpened, useQuery } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { ownPath, requestPath } from "../place.ts";
import { causeText, outcomeWord } from "../requests/cause.ts";
import { Filters } from "../requests/filters.tsx";
import { filters } from "../requests/live-list.ts";
import type { RequestRecord } from "../requests/record.ts";
import { useRequestList } from "./use-request-list.ts";

const noFilters = Object.fromEntries([...filters, "cursor"].map((name) => [name, ""]));

const RequestDrawer = later(async () => (await import("./request.tsx")).RequestDrawer);

/** Opens the request in the drawer, unless the reader wants a new tab. */
const opening = (open: () => void) => (event: MouseEvent) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  open();
};

const longestName = 32;

/** Breaks between provider and name only. */
function Model({ model }: { model: string }) {
  const at = model.indexOf("/") + 1;
  const name = model.slice(at);
  return (
    <span title={model}>
      <code class="nowrap">{model.slice(0, at)}</code>
      <wbr />
      <code class="nowrap">
        {name.length > longestName ? `${name.slice(0, longestName)}…` : name}
      </code>
    </span>
  );
}

interface Shown {
  names: Names;
  open: (id: string) => void;
}

/** Deleted keys and servers have only an id. */
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
  {
    title: "Outcome",
    show: (record) => <Badge word={outcomeWord(record)} />,
    text: outcomeWord,
  },
  {
    title: "Model",
    show: ({ model }) => (model === null ? none : <Model model={model} />),
    text: ({ model }) => model,
  },
  {
    title: "Error",
    isOptional: true,
    show(record) {
      const cause = causeText(record) || null;
      return (
        cause && (
          <span class="brief error" title={cause}>
            {cause}
          </span>
        )
      );
    },
    text: (record) => causeText(record) || null,
  },
  textColumn("Key", ({ who }) => names[who.keyId] ?? who.keyId),
  textColumn("Server", ({ who }) => who.serverId && (names[who.serverId] ?? who.serverId)),
  textColumn("Tool or client", ({ who }) => who.tool ?? who.clientName),
  { ...numberColumn("Tokens in", ({ usage }) => usage?.inputTokens, count), isWide: true },
  { ...numberColumn("Tokens out", ({ usage }) => usage?.outputTokens, count), isWide: true },
  numberColumn("Cost", ({ costUsd }) => costUsd, usdOfCall),
  numberColumn("Took", ({ totalMs }) => totalMs, duration),
  { title: "Id", isWide: true, show: ({ id }) => <code class="faint">{id.slice(-6)}</code> },
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
