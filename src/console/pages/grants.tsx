import { api, type Schemas } from "../api.ts";
import { dayColumn } from "../parts/columns.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import { RequestsOf, spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import type { Column } from "../parts/table.tsx";

type Grant = Schemas["Grant"];

const columnsOf = (spending: ReadonlyMap<string, Spender>): readonly Column<Grant>[] => [
  {
    title: "Program",
    show: ({ clientId, clientName }) => <span title={clientId}>{clientName}</span>,
    text: ({ clientName }) => clientName,
  },
  { title: "From", text: ({ redirectHost }) => redirectHost },
  {
    title: "May use",
    show: ({ resource }) => <code>{resource}</code>,
    text: ({ resource }) => resource,
  },
  { title: "Scopes", text: ({ scopes }) => scopes.join(", ") },
  {
    title: "Acts as the key",
    show: ({ keyId }) => <RequestsOf by="key" id={keyId} name={`…${keyId.slice(-6)}`} />,
    text: ({ keyId }) => keyId,
  },
  ...spendColumns<Grant>(({ keyId }) => spending.get(keyId)).filter(
    ({ title }) => title === "Spent" || title === "Last use",
  ),
  dayColumn("Allowed", ({ createdAt }) => createdAt),
  dayColumn("Ends", ({ expiresAt }) => expiresAt),
];

export function Grants() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/grants");
  return (
    <ListPage
      title="Grants"
      lead="Programs that people connected by OAuth. Each acts as an API key of this tenant, whose spend of this month is shown."
      paging={paging}
      columns={columnsOf(useSpending("key"))}
      nameOf={({ clientName }) => clientName}
      verbs={() => ["End"] as const}
      empty="No connected programs. A hosted client connects by a server’s address and asks the person for consent."
      dialog={({ row: { id, clientName } }, ends) => (
        <Confirm
          title="Revoke grant"
          act={() => api.DELETE("/admin/v1/tenants/{tenant}/grants/{id}", { id })}
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
