import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { CopyButton, Secret } from "../parts/copy.tsx";
import { limitText } from "../parts/limits.tsx";
import { Badge } from "../parts/notice.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
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

const columnsOf = (tenant: string, begin: (doing: Doing) => void): Column<Key>[] => [
  {
    title: "Name",
    show: ({ id, name }) => (
      <>
        {name}
        <div>
          <a
            class="faint"
            href={`${tenantPath(tenant, "/requests")}?key=${encodeURIComponent(id)}`}
            aria-label={`its requests (${name})`}
          >
            its requests
          </a>
        </div>
      </>
    ),
    text: ({ name }) => name,
  },
  {
    title: "Id",
    show: ({ id, name }) => (
      <span class="nowrap">
        <code title={id}>…{id.slice(-6)}</code>{" "}
        <CopyButton text={id} label="copy" of={`the id of ${name}`} />
      </span>
    ),
    text: ({ id }) => id,
  },
  { title: "State", show: (key) => <Badge word={stateOf(key)} />, text: stateOf },
  {
    title: "Scopes",
    show: ({ scopes }) => scopes.join(", "),
    text: ({ scopes }) => scopes.join(" "),
  },
  {
    title: "Limits",
    show: ({ limits }) => limitText(limits) || <span class="faint">no limits of its own</span>,
    text: ({ limits }) => limitText(limits),
  },
  {
    title: "Ends",
    show: ({ expiresAt }) => <Time at={expiresAt} />,
    text: ({ expiresAt }) => isoOf(expiresAt),
  },
  {
    title: "Made",
    show: ({ createdAt }) => <Time at={createdAt} />,
    text: ({ createdAt }) => isoOf(createdAt),
  },
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
  const [made, setMade] = useState<NewKeyAnswer | null>(null);
  return (
    <ListPage
      title="API keys"
      what="API keys"
      lead="Keys that programs use to call the router. Each can have its own limits and expiry."
      paging={paging}
      columns={(begin: (doing: Doing) => void) => columnsOf(tenant, begin)}
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
