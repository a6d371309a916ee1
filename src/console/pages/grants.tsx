import { api, asked, type Schemas } from "../api.ts";
import { Confirm } from "../parts/dialog.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";
import { mayChange } from "../session.ts";

type Grant = Schemas["Grant"];

const columnsOf = (tenant: string, end: (grant: Grant) => void): Column<Grant>[] => [
  {
    title: "Program",
    show: ({ clientId, clientName }) => <span title={clientId}>{clientName}</span>,
    text: ({ clientName }) => clientName,
  },
  {
    title: "Sent people to",
    show: ({ redirectHost }) => <code>{redirectHost}</code>,
    text: ({ redirectHost }) => redirectHost,
  },
  {
    title: "Opens",
    show: ({ resource }) => <code>{resource}</code>,
    text: ({ resource }) => resource,
  },
  {
    title: "Scopes",
    show: ({ scopes }) => scopes.join(", "),
    text: ({ scopes }) => scopes.join(" "),
  },
  {
    title: "Acts as",
    show: ({ keyId }) => (
      <a href={`${tenantPath(tenant, "/requests")}?key=${encodeURIComponent(keyId)}`}>
        <code>{keyId}</code>
      </a>
    ),
    text: ({ keyId }) => keyId,
  },
  {
    title: "Allowed",
    show: ({ createdAt }) => <Time at={createdAt} />,
    text: ({ createdAt }) => isoOf(createdAt),
  },
  {
    title: "Ends",
    show: ({ expiresAt }) => <Time at={expiresAt} />,
    text: ({ expiresAt }) => isoOf(expiresAt),
  },
  {
    title: "",
    show: (grant) =>
      mayChange.value && (
        <button
          type="button"
          class="quiet danger"
          aria-label={`end ${grant.clientName}`}
          onClick={() => end(grant)}
        >
          end
        </button>
      ),
  },
];

export function Grants({ params: { tenant } }: { params: { tenant: string } }) {
  const paging = usePaging<Grant>(`grants of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/grants", { params: { path: { tenant }, query } })),
  );
  return (
    <ListPage
      title="Grants"
      lead="Programs that people connected by OAuth. Each acts as an API key of this tenant."
      paging={paging}
      columns={(end: (grant: Grant) => void) => columnsOf(tenant, end)}
      empty="No connected programs. A hosted client connects by a server’s address and asks the person for consent."
      dialog={({ id, clientName }, ends) => (
        <Confirm
          title="Revoke grant"
          act={() =>
            asked(
              api.DELETE("/admin/v1/tenants/{tenant}/grants/{id}", {
                params: { path: { tenant, id } },
              }),
            )
          }
          {...ends}
        >
          <p>
            <strong>{clientName}</strong>: its tokens stop working within five seconds. The API key
            is not affected.
          </p>
        </Confirm>
      )}
    />
  );
}
