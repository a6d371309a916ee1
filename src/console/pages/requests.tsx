import { useState } from "preact/hooks";
import { count, duration, usd, spaced } from "../format.ts";
import { later } from "../later.tsx";
import { Check } from "../parts/form.tsx";
import { Brief } from "../parts/brief.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Steps, useOpened, useQuery } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { Filters } from "../requests/filters.tsx";
import { filters } from "../requests/live-list.ts";
import type { RequestRecord } from "../requests/record.ts";
import { useRequestList } from "./use-request-list.ts";

const RequestDrawer = later(async () => (await import("./request.tsx")).RequestDrawer);

type Names = Readonly<Record<string, string>>;

/** Deleted ones have only an id. */
const nameOf = (names: Names, id: string | null): string => (id === null ? "–" : (names[id] ?? id));

const figures: Column<RequestRecord>[] = [
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

const modelColumn: Column<RequestRecord> = {
  title: "Model",
  show: ({ model, attempts }) => {
    const failed = attempts.filter(({ fault }) => fault !== null).length;
    return (
      <>
        <Brief text={model} isCode />
        {failed > 0 && (
          <span class="faint">after {failed === 1 ? "a fault" : `${failed} faults`}</span>
        )}
      </>
    );
  },
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
      <button type="button" class="link" aria-haspopup="dialog" onClick={() => open(id)}>
        <Time at={createdAt} />
      </button>
    ),
    text: ({ createdAt }) => isoOf(createdAt),
  },
  {
    title: "Id",
    show: () => null,
    text: ({ id }) => id,
    isFileOnly: true,
  },
  {
    title: "Outcome",
    show: ({ outcome, reason, held }) => (
      <>
        <Badge word={held ? "held" : outcome} />{" "}
        {reason !== null && <span class="faint">{spaced(reason)}</span>}
      </>
    ),
    text: ({ outcome, held }) => (held ? "held" : outcome),
  },
  modelColumn,
  {
    title: "Key",
    show: ({ who }) => <Brief text={nameOf(names, who.keyId)} />,
    text: ({ who }) => nameOf(names, who.keyId),
  },
  {
    title: "Server",
    show: ({ who }) => <Brief text={nameOf(names, who.serverId)} />,
    text: ({ who }) => nameOf(names, who.serverId),
    // Hidden if the tenant makes only direct calls.
    ...(rows.every(({ who }) => who.serverId === null) && { isFileOnly: true }),
  },
  {
    title: "Tool or client",
    show: ({ who }) => <Brief text={who.tool ?? who.clientName} />,
    text: ({ who }) => who.tool ?? who.clientName,
  },
  ...figures,
  // The CSV has the whole id.
  { title: "Id", show: ({ id }) => <code class="faint">{id.slice(-6)}</code> },
];

export function Requests({ params: { tenant } }: { params: { tenant: string } }) {
  const inAddress = useQuery();
  const [query, change] = inAddress;
  const { shown, open, close } = useOpened(inAddress);
  const [isLive, setLive] = useState(true);
  const { loading, rowsOf, names, isFollowing } = useRequestList({ tenant, query, isLive });
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
      <Filters {...{ tenant, inAddress, names }} />
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
                <Steps
                  {...{ cursor, next: nextCursor }}
                  go={(to) => change({ cursor: to ?? "" })}
                />
              }
            />
          );
        }}
      </There>
      {shown !== undefined && <RequestDrawer tenant={tenant} id={shown} onClose={close} />}
    </Page>
  );
}
