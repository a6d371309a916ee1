import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { day, time } from "../format.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Secret } from "../parts/copy.tsx";
import { limitText } from "../parts/limits.tsx";
import { Badge } from "../parts/notice.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import { isoOf } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";
import { mayChange } from "../session.ts";
import { ChangeKey, NewKey } from "./key-forms.tsx";

type Key = Schemas["Key"];
type NewKeyAnswer = Schemas["NewKey"];
export type Doing = { what: "change" | "rotate" | "revoke"; key: Key } | { what: "make" };

function stateOf({ revokedAt, expiresAt }: Key): string {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= Date.now() ? "expired" : "active";
}

function KeyActions({ shown, begin }: { shown: Key; begin: (doing: Doing) => void }) {
  if (!mayChange.value || shown.revokedAt !== null) return null;
  return (
    <span class="row-actions">
      {(["change", "rotate", "revoke"] as const).map((what) => (
        <button
          key={what}
          type="button"
          class={`quiet ${what === "revoke" ? "danger" : ""}`}
          aria-label={`${what} ${shown.name}`}
          onClick={() => begin({ what, key: shown })}
        >
          {what}
        </button>
      ))}
    </span>
  );
}

const scopesOf = ({ scopes }: Key): string => scopes.join(", ");

const columnsOf = (
  tenant: string,
  spending: ReadonlyMap<string, Spender>,
  begin: (doing: Doing) => void,
): Column<Key>[] => [
  {
    title: "Name",
    order: ({ name }) => name,
    show: (key) => (
      <span class="one-line">
        <a
          href={`${tenantPath(tenant, "/requests")}?key=${encodeURIComponent(key.id)}`}
          title={`Requests of ${key.id}`}
        >
          {key.name}
        </a>{" "}
        {stateOf(key) !== "active" && <Badge word={stateOf(key)} />}
      </span>
    ),
    text: ({ name }) => name,
  },
  { title: "Id", isFileOnly: true, show: () => null, text: ({ id }) => id },
  { title: "State", isFileOnly: true, show: () => null, text: stateOf },
  ...spendColumns<Key>(({ id }) => spending.get(id)),
  {
    title: "Scopes",
    order: scopesOf,
    show: (key) => <span class="nowrap">{scopesOf(key)}</span>,
    text: scopesOf,
  },
  { title: "Limits", isFileOnly: true, show: () => null, text: ({ limits }) => limitText(limits) },
  {
    title: "Created",
    order: ({ createdAt }) => createdAt,
    show: ({ createdAt, expiresAt }) => (
      <span
        class="nowrap"
        title={`${time(createdAt)}${expiresAt === null ? "" : `, expires ${time(expiresAt)}`}`}
      >
        {day(createdAt)}
        {expiresAt !== null && <small>, until {day(expiresAt)}</small>}
      </span>
    ),
    text: ({ createdAt }) => isoOf(createdAt),
  },
  { title: "Ends", isFileOnly: true, show: () => null, text: ({ expiresAt }) => isoOf(expiresAt) },
  { title: "", show: (key) => <KeyActions shown={key} begin={begin} /> },
];

interface DoProps {
  tenant: string;
  doing: Doing;
  onDone: (made: NewKeyAnswer | null) => void;
  onClose: () => void;
}

function Do({ tenant, doing, onDone, onClose }: DoProps) {
  if (doing.what === "make")
    return (
      <Dialog title="New API key" onClose={onClose}>
        <NewKey tenant={tenant} onDone={onDone} onClose={onClose} />
      </Dialog>
    );
  const { key } = doing;
  if (doing.what === "change")
    return (
      <Dialog title={`Change ${key.name}`} onClose={onClose}>
        <ChangeKey {...{ tenant, id: key.id, onClose }} onDone={() => onDone(null)} />
      </Dialog>
    );
  const params = { params: { path: { tenant, id: key.id } } };
  const isRevoking = doing.what === "revoke";
  const act = async () => {
    if (isRevoking) return asked(api.DELETE("/admin/v1/tenants/{tenant}/keys/{id}", params));
    const made = await asked(api.POST("/admin/v1/tenants/{tenant}/keys/{id}/rotate", params));
    if (made.ok) onDone(made.value);
    return made;
  };
  return (
    <Confirm
      title={isRevoking ? "Revoke key" : "Rotate key"}
      act={act}
      onDone={() => isRevoking && onDone(null)}
      onClose={onClose}
    >
      <p>
        <strong>{key.name}</strong>:{" "}
        {isRevoking
          ? "programs that use this key are refused. This can’t be undone."
          : "the key gets a new secret. The old one stops working immediately."}
      </p>
    </Confirm>
  );
}

export function Keys({ params: { tenant } }: { params: { tenant: string } }) {
  const paging = usePaging<Key>(`keys of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/keys", { params: { path: { tenant }, query } })),
  );
  const spending = useSpending(tenant, "key");
  const [made, setMade] = useState<NewKeyAnswer | null>(null);
  return (
    <ListPage
      title="API keys"
      what="API keys"
      lead="Keys that programs use to call the router, with what they spent this month."
      paging={paging}
      columns={(begin: (doing: Doing) => void) => columnsOf(tenant, spending, begin)}
      empty="No API keys yet. Create one per program, so that each can be limited and revoked."
      action={{ title: "New key", doing: { what: "make" } }}
      dialog={(doing, { onDone, onClose }) => (
        <Do
          {...{ tenant, doing, onClose }}
          onDone={(key) => {
            onDone();
            if (key !== null) setMade(key);
          }}
        />
      )}
    >
      {made !== null && (
        <Secret title={`The key ${made.name}`} secret={made.key} onDone={() => setMade(null)}>
          <p>Only a hash is stored. Put the key where your program reads it.</p>
        </Secret>
      )}
    </ListPage>
  );
}
