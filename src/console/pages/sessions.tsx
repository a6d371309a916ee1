import { api, asked, type Schemas } from "../api.ts";
import { capabilityText, countedCapabilities } from "../capability-text.ts";
import { Confirm } from "../parts/dialog.tsx";
import { Named, type Names } from "../parts/named.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";
import { mayChange } from "../session.ts";

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

const sessionColumns: readonly Column<Session>[] = [
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
    title: "Advertised to the server",
    show: ({ advertisedCapabilities }) =>
      advertisedCapabilities === null ? (
        "–"
      ) : (
        <span title={JSON.stringify(advertisedCapabilities)}>
          {capabilityText(advertisedCapabilities)}
        </span>
      ),
    text: ({ advertisedCapabilities }) =>
      advertisedCapabilities === null ? null : JSON.stringify(advertisedCapabilities),
  },
  {
    title: "Last used",
    show: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
    text: ({ lastUsedAt }) => isoOf(lastUsedAt),
  },
  {
    title: "Ends",
    show: ({ expiresAt }) => <Time at={expiresAt} />,
    text: ({ expiresAt }) => isoOf(expiresAt),
  },
];

const columnsOf = (
  tenant: string,
  { names, end }: { names: Names; end: (session: Session) => void },
): Column<Session>[] => [
  {
    title: "Session",
    show: ({ id }) => (
      <a
        href={`${tenantPath(tenant, "/requests")}?session=${encodeURIComponent(id)}`}
        title={`the requests of ${id}`}
      >
        <code class="nowrap">{id.slice(-6)}</code>
      </a>
    ),
    text: ({ id }) => id,
  },
  { title: "Client", show: clientOf, text: clientOf },
  {
    title: "Server",
    show: ({ serverId }) => (serverId === null ? "–" : <Named id={serverId} names={names} />),
    text: ({ serverId }) => serverId,
  },
  {
    title: "Key",
    show: ({ keyId }) => <Named id={keyId} names={names} />,
    text: ({ keyId }) => keyId,
  },
  ...sessionColumns,
  {
    title: "",
    show: (session) =>
      mayChange.value && (
        <button
          type="button"
          class="quiet danger"
          aria-label={`end ${session.id}`}
          onClick={() => end(session)}
        >
          end
        </button>
      ),
  },
];

export function Sessions({ params: { tenant } }: { params: { tenant: string } }) {
  const paging = usePaging<Session, { names: Names }>(`sessions of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/sessions", { params: { path: { tenant }, query } })),
  );
  const { loaded } = paging.loading;
  const names = loaded.state === "there" ? loaded.value.names : {};
  return (
    <ListPage
      title="Sessions"
      lead="Sessions of MCP clients with their declared capabilities. Clients of MCP 2026-07-28 and later have no sessions. For console sign-ins, see Events."
      paging={paging}
      columns={(end: (session: Session) => void) => columnsOf(tenant, { names, end })}
      empty="No active sessions."
      dialog={({ id }, ends) => (
        <Confirm
          title="End session"
          act={() =>
            asked(
              api.DELETE("/admin/v1/tenants/{tenant}/sessions/{id}", {
                params: { path: { tenant, id } },
              }),
            )
          }
          {...ends}
        >
          <p>Further requests are answered with 404, and the client must start a new session.</p>
        </Confirm>
      )}
    />
  );
}
