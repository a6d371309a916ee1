import { pendingWord } from "../approvals/conditions.ts";
import { useState } from "preact/hooks";
import { count, duration, none, usdOfCall } from "../format.ts";
import { later } from "../later.tsx";
import { Check, Choice } from "../parts/form.tsx";
import { fileColumn } from "../parts/columns.tsx";
import { Brief } from "../parts/brief.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Steps, useOpened, useQuery } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { Filters } from "../requests/filters.tsx";
import { filters } from "../requests/live-list.ts";
import { requestPath } from "../place.ts";
import { errorText } from "../requests/reason.ts";
import type { RequestRecord } from "../requests/record.ts";
import { useRequestList } from "./use-request-list.ts";

const RequestDrawer = later(async () => (await import("./request.tsx")).RequestDrawer);

const sizes: readonly (readonly [string, string])[] = [
  ["", "50"],
  ["100", "100"],
  ["200", "200"],
];

type Names = Readonly<Record<string, string>>;

/** Opens the request in the drawer, unless the reader wants a new tab. */
const opening = (open: () => void) => (event: MouseEvent) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  open();
};

/** Deleted ones have only an id. */
const nameOf = (names: Names, id: string | null): string => (id === null ? "–" : (names[id] ?? id));

const figures: Column<RequestRecord>[] = [
  {
    title: "Tokens in, out",
    isWide: true,
    isNumber: true,
    show: ({ usage }) =>
      usage === null ? none : `${count(usage.inputTokens)}, ${count(usage.outputTokens)}`,
  },
  fileColumn("Tokens in", ({ usage }) => usage?.inputTokens ?? null),
  fileColumn("Tokens out", ({ usage }) => usage?.outputTokens ?? null),
  {
    title: "Cost",
    isNumber: true,
    show: ({ costUsd }) => usdOfCall(costUsd),
    text: ({ costUsd }) => costUsd,
  },
  {
    title: "Took",
    isNumber: true,
    show: ({ totalMs }) => duration(totalMs),
    text: ({ totalMs }) => totalMs,
  },
];

const modelColumn: Column<RequestRecord> = {
  title: "Model",
  show: ({ model }) => <Brief text={model} isCode />,
  text: ({ model }) => model,
};

interface Shown {
  rows: readonly RequestRecord[];
  names: Names;
  open: (id: string) => void;
}

const columnsOf = ({ rows, names, open }: Shown): Column<RequestRecord>[] => [
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
    show: ({ outcome, held }) => <Badge word={held ? pendingWord : outcome} />,
    text: ({ outcome, held }) => (held ? pendingWord : outcome),
  },
  modelColumn,
  {
    title: "Error",
    isWide: true,
    show: (record) => {
      const text = errorText(record);
      return text !== "" && <Brief text={text} />;
    },
    text: errorText,
  },
  {
    title: "Key",
    isWide: true,
    show: ({ who }) => <Brief text={nameOf(names, who.keyId)} />,
    text: ({ who }) => nameOf(names, who.keyId),
  },
  {
    title: "Server",
    isWide: true,
    show: ({ who }) => <Brief text={nameOf(names, who.serverId)} />,
    text: ({ who }) => nameOf(names, who.serverId),
    // Hidden if the tenant makes only direct calls.
    ...(rows.every(({ who }) => who.serverId === null) && { isFileOnly: true }),
  },
  {
    title: "Tool or client",
    isWide: true,
    show: ({ who }) => <Brief text={who.tool ?? who.clientName} />,
    text: ({ who }) => who.tool ?? who.clientName,
  },
  ...figures,
  // The CSV has the whole id.
  { title: "Id", isWide: true, show: ({ id }) => <code class="faint">{id.slice(-6)}</code> },
];

export function Requests() {
  const inAddress = useQuery();
  const [query, change] = inAddress;
  const { shown, open, close } = useOpened(inAddress);
  const [isLive, setLive] = useState(true);
  const { loading, rowsOf, names, isFollowing } = useRequestList({ query, isLive });
  const cursor = query["cursor"] ?? null;
  const isFiltered = filters.some((name) => query[name]);
  return (
    <Page
      title="Requests"
      lead="All requests, including refused ones, newest first. Open one to see why its model was selected."
      actions={
        <span title={isFollowing ? "Live" : "Every few seconds"}>
          <Check title="Live" name="live" value={isLive} onInput={setLive} />
        </span>
      }
    >
      <Filters {...{ inAddress, names }} />
      <There what="requests" loading={loading}>
        {(listed) => {
          const { rows, nextCursor } = rowsOf(listed);
          return (
            <Table
              name="Requests"
              columns={columnsOf({ rows, names, open })}
              rows={rows}
              keyOf={({ id }) => id}
              open={({ id }) => open(id)}
              current={shown ?? null}
              empty={
                isFiltered
                  ? nextCursor === null
                    ? "No request matches these filters."
                    : "No match in the newest 100,000 requests. “Older” continues the search."
                  : "No requests yet. See First steps to send one."
              }
              foot={
                <>
                  <Steps
                    {...{ cursor, next: nextCursor }}
                    go={(to) => change({ cursor: to ?? "" })}
                  />
                  <Choice
                    title="Rows"
                    name="limit"
                    value={query["limit"] ?? ""}
                    options={sizes}
                    onInput={(limit) => change({ limit, cursor: "" })}
                  />
                </>
              }
            />
          );
        }}
      </There>
      {shown !== undefined && <RequestDrawer id={shown} onClose={close} />}
    </Page>
  );
}
