import { api, type Schemas } from "../api.ts";
import { capabilityText, countedCapabilities } from "../capability-text.ts";
import { fromNow, none } from "../format.ts";
import { textColumn } from "../parts/cells.tsx";
import { fileColumn } from "../parts/columns.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { ownPath } from "../place.ts";

type Session = Schemas["Session"];

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const Declared = ({ session }: { session: Session }) => (
  <div title={JSON.stringify(session.capabilities)}>
    {Object.keys(session.capabilities).length === 0 && "nothing"}
    {countedCapabilities(session).map(({ declared, counts }) => (
      <div key={declared}>
        {declared}
        {counts !== declared && <span class="faint"> → {counts}</span>}
      </div>
    ))}
  </div>
);

const columnsOf = (names: Readonly<Record<string, string>>): readonly Column<Session>[] => [
  {
    title: "Session",
    show: ({ id }) => (
      <a
        href={`${ownPath("/requests")}?session=${encodeURIComponent(id)}`}
        title={`Requests of ${id}`}
      >
        <code>{id.slice(-6)}</code>
      </a>
    ),
    text: ({ id }) => id,
  },
  textColumn("Client", ({ clientInfo: { name, version } }) => `${text(name)} ${text(version)}`),
  textColumn("Key", ({ keyId }) => names[keyId] ?? keyId),
  textColumn("Server", ({ serverId }) => serverId && (names[serverId] ?? serverId)),
  {
    title: "Revision",
    show: ({ revision }) => <span class="nowrap">{revision}</span>,
    text: ({ revision }) => revision,
  },
  {
    title: "Declared → counts as",
    show: (session) => <Declared session={session} />,
    text: ({ capabilities }) => JSON.stringify(capabilities),
  },
  {
    title: "Announced to the server",
    show: ({ advertisedCapabilities: announced }) =>
      announced === null ? (
        none
      ) : (
        <span title={JSON.stringify(announced)}>{capabilityText(announced)}</span>
      ),
    text: ({ advertisedCapabilities: announced }) => announced && JSON.stringify(announced),
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

const NoSessions = () => (
  <>
    <p>
      No active sessions. One begins when a client of MCP 2025-11-25 or earlier connects to a server
      or to the router itself.
    </p>
    <a class="button" href={ownPath("/servers")}>
      Connect a client
    </a>
  </>
);

export function Sessions() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/sessions");
  const { loaded } = paging.loading;
  return (
    <ListPage
      title="Sessions"
      lead="For finding out why a client can’t do something: what it declared, what that counts as by the rules of its MCP revision, and what was announced to the server. Clients of the newest revision have no sessions."
      paging={paging}
      columns={columnsOf(loaded.state === "there" ? loaded.value.names : {})}
      nameOf={({ id }) => `session ${id.slice(-6)}`}
      verbs={() => ["End"] as const}
      empty={<NoSessions />}
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
