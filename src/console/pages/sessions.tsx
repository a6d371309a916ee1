import { api, type Schemas } from "../api.ts";
import { capabilityText, countedCapabilities } from "../capability-text.ts";
import { fromNow } from "../format.ts";
import { fileColumn } from "../parts/columns.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Named, type Names } from "../parts/named.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { ownPath } from "../place.ts";

type Session = Schemas["Session"];

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const clientOf = ({ clientInfo }: Session): string =>
  `${text(clientInfo["name"])} ${text(clientInfo["version"])}`.trim();

function Counted({ session }: { session: Session }) {
  const counted = countedCapabilities(session);
  if (counted.length === 0) return "nothing";
  return (
    <div title={JSON.stringify(session.capabilities)}>
      {counted.map(({ declared, counts }) => (
        <div key={declared}>
          {declared}
          {counts !== declared && <span class="faint"> → {counts}</span>}
        </div>
      ))}
    </div>
  );
}

const columnsOf = (names: Names): readonly Column<Session>[] => [
  {
    title: "Session",
    show: ({ id }) => (
      <a
        href={`${ownPath("/requests")}?session=${encodeURIComponent(id)}`}
        title={`Requests of ${id}`}
      >
        <code class="nowrap">{id.slice(-6)}</code>
      </a>
    ),
    text: ({ id }) => id,
  },
  { title: "Client", text: clientOf },
  {
    title: "Server",
    show: ({ serverId }) => (serverId === null ? "–" : <Named id={serverId} names={names} />),
    text: ({ serverId }) => serverId,
    isOptional: true,
  },
  {
    title: "Key",
    show: ({ keyId }) => <Named id={keyId} names={names} />,
    text: ({ keyId }) => keyId,
  },
  {
    title: "Revision",
    show: ({ revision }) => <span class="nowrap">{revision}</span>,
    text: ({ revision }) => revision,
  },
  {
    title: "Declared → counts as",
    show: (session) => <Counted session={session} />,
    text: ({ capabilities }) => JSON.stringify(capabilities),
  },
  {
    title: "Advertised",
    show: ({ advertisedCapabilities: advertised }) =>
      advertised === null ? (
        "–"
      ) : (
        <span title={JSON.stringify(advertised)}>{capabilityText(advertised)}</span>
      ),
    text: ({ advertisedCapabilities: advertised }) =>
      advertised === null ? null : JSON.stringify(advertised),
    isOptional: true,
  },
  {
    title: "Last used",
    show: ({ lastUsedAt, expiresAt }) => (
      <>
        <Time at={lastUsedAt} />
        <small> ends {fromNow(expiresAt)}</small>
      </>
    ),
    text: ({ lastUsedAt }) => isoOf(lastUsedAt),
  },
  fileColumn("Ends", ({ expiresAt }) => isoOf(expiresAt)),
];

export function Sessions() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/sessions");
  const { loaded } = paging.loading;
  const names = loaded.state === "there" ? loaded.value.names : {};
  return (
    <ListPage
      title="Sessions"
      lead="Sessions of MCP clients: what each declared, what it counts as in its revision, and what the router advertised to the server. Clients of MCP 2026-07-28 and later have no sessions."
      paging={paging}
      columns={columnsOf(names)}
      nameOf={({ id }) => `session ${id.slice(-6)}`}
      verbs={() => ["End"] as const}
      empty="No active sessions."
      dialog={({ row: { id } }, ends) => (
        <Confirm
          title="End session"
          act={() => api.DELETE("/admin/v1/tenants/{tenant}/sessions/{id}", { id })}
          {...ends}
        >
          <p>Further requests are answered with 404, and the client must start a new session.</p>
        </Confirm>
      )}
    />
  );
}
