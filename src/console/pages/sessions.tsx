/** Sessions of the legacy revisions, with what each client said that it can do. */
import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { Confirm } from "../parts/dialog.tsx";
import { Page } from "../parts/page.tsx";
import { Listed } from "../parts/listed.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";
import { mayChange } from "../session.ts";

type Session = Schemas["Session"];

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const clientOf = ({ clientInfo }: Session): string =>
  `${text(clientInfo["name"])} ${text(clientInfo["version"])}`.trim();

const columnsOf = (tenant: string, end: (session: Session) => void): Column<Session>[] => [
  {
    title: "Session",
    show: ({ id }) => (
      <a href={`${tenantPath(tenant, "/requests")}?session=${encodeURIComponent(id)}`}>
        <code>{id}</code>
      </a>
    ),
    text: ({ id }) => id,
  },
  { title: "Client", show: clientOf, text: clientOf },
  { title: "Revision", show: ({ revision }) => revision, text: ({ revision }) => revision },
  {
    title: "Declared",
    show: ({ capabilities }) => <code>{JSON.stringify(capabilities)}</code>,
    text: ({ capabilities }) => JSON.stringify(capabilities),
  },
  {
    title: "Told to the server",
    show: ({ told }) => (told === null ? "–" : <code>{JSON.stringify(told)}</code>),
    text: ({ told }) => (told === null ? null : JSON.stringify(told)),
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
  const paging = usePaging<Session>(`sessions of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/sessions", { params: { path: { tenant }, query } })),
  );
  const [ending, end] = useState<Session | null>(null);
  return (
    <Page
      title="Sessions"
      lead="Open connections of MCP clients, with what each said that it can do. Clients of MCP 2026-07-28 and later have none. Who is signed in to the console is in Events."
    >
      <Listed
        what="sessions"
        paging={paging}
        name="Sessions"
        columns={columnsOf(tenant, end)}
        keyOf={({ id }) => id}
        empty="No session is open."
      />
      {ending !== null && (
        <Confirm
          title="End the session"
          act={() =>
            asked(
              api.DELETE("/admin/v1/tenants/{tenant}/sessions/{id}", {
                params: { path: { tenant, id: ending.id } },
              }),
            )
          }
          onDone={() => {
            end(null);
            void paging.loading.again();
          }}
          onClose={() => end(null)}
        >
          <p>Later requests of the session are answered 404, and its client has to begin again.</p>
        </Confirm>
      )}
    </Page>
  );
}
