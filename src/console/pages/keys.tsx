import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { day, time } from "../format.ts";
import { useLoaded } from "../load.ts";
import { fileColumn } from "../parts/columns.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Secret } from "../parts/copy.tsx";
import { limitText } from "../parts/limits.tsx";
import { Badge } from "../parts/notice.tsx";
import { ListPage, type Ends } from "../parts/list-page.tsx";
import { usePaging, useQuery } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { RequestsOf, spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import { isoOf } from "../parts/time.tsx";
import { routerUrl } from "../place.ts";
import { ChangeKey, NewKey, roleIn } from "./key-forms.tsx";

type Key = Schemas["Key"];
type NewKeyAnswer = Schemas["NewKey"];

function stateOf({ revokedAt, expiresAt }: Key): string {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= Date.now() ? "expired" : "active";
}

const verbsOf = ({ revokedAt }: Key) =>
  revokedAt === null ? (["Change", "Duplicate", "Rotate", "Revoke"] as const) : [];
type Verb = ReturnType<typeof verbsOf>[number];

/** A person's sign-in names its key after the person's id. */
const nameOf = ({ name, userId }: Key, names: Known["names"]): string =>
  name.replace(/^Signs in \(usr_.*\)$/, `Signs in (${names.get(userId ?? "") ?? userId})`);

interface Known {
  spending: ReadonlyMap<string, Spender>;
  /** of keys and people */
  names: ReadonlyMap<string, string>;
}

const columnsOf = ({ spending, names }: Known): readonly Column<Key>[] => [
  {
    title: "Name",
    show: (key) => (
      <span class="one-line">
        {stateOf(key) !== "active" && <Badge word={stateOf(key)} />}{" "}
        <RequestsOf by="key" id={key.id} name={nameOf(key, names)} />
        {key.expiresAt !== null && stateOf(key) === "active" && (
          <small title={time(key.expiresAt)}>until {day(key.expiresAt)}</small>
        )}
      </span>
    ),
    text: (key) => nameOf(key, names),
  },
  fileColumn("Id", ({ id }) => id),
  fileColumn("State", stateOf),
  ...spendColumns<Key>(({ id }) => spending.get(id)),
  {
    title: "Scopes",
    isWide: true,
    show: ({ scopes }) => <span class="nowrap">{scopes.join(", ")}</span>,
    text: ({ scopes }) => scopes.join(", "),
  },
  fileColumn("Limits", ({ limits }) => limitText(limits)),
  {
    title: "Created",
    isWide: true,
    show: ({ createdAt, createdBy }) => (
      <span class="one-line short" title={`${time(createdAt)} by ${createdBy}`}>
        {day(createdAt)}, {names.get(createdBy) ?? createdBy}
      </span>
    ),
    text: ({ createdAt }) => isoOf(createdAt),
  },
  fileColumn("Created by", ({ createdBy }) => createdBy),
  fileColumn("Ends", ({ expiresAt }) => isoOf(expiresAt)),
];

interface DoProps extends Ends {
  doing: { verb: Verb; row: Key };
  onMade: (made: NewKeyAnswer) => void;
}

function Do({ doing: { verb, row: key }, onMade, onDone, onClose }: DoProps) {
  if (verb === "Change" || verb === "Duplicate")
    return (
      <Dialog title={`${verb} ${key.name}`} onClose={onClose}>
        {verb === "Change" ? (
          <ChangeKey {...{ id: key.id, onDone, onClose }} />
        ) : (
          <NewKey {...{ like: key, onClose }} onDone={onMade} />
        )}
      </Dialog>
    );
  const params = { id: key.id };
  const isRevoking = verb === "Revoke";
  const act = async () => {
    if (isRevoking) return api.DELETE("/admin/v1/tenants/{tenant}/keys/{id}", params);
    const made = await api.POST("/admin/v1/tenants/{tenant}/keys/{id}/rotate", params);
    if (made.ok) onMade(made.value);
    return made;
  };
  return (
    <Confirm title={`${verb} key`} {...{ act, onDone, onClose }}>
      <p>
        <strong>{key.name}</strong>:{" "}
        {isRevoking
          ? "programs that use this key are refused. This can’t be undone."
          : "the key gets a new secret. The old one stops working immediately."}
      </p>
    </Confirm>
  );
}

/** Only if a key is named after a person. */
function usePeopleOf(listed: readonly Key[]): readonly Schemas["User"][] {
  const hasSignIns = listed.some(({ name }) => name.startsWith("Signs in ("));
  const people = useLoaded<{ data: Schemas["User"][] }>(`people ${hasSignIns}`, async () =>
    hasSignIns
      ? api.GET("/admin/v1/tenants/{tenant}/users", { limit: 200 })
      : { ok: true, value: { data: [] }, tag: null },
  ).loaded;
  return people.state === "there" ? people.value.data : [];
}

export function Keys() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/keys");
  const spending = useSpending("key");
  const { loaded } = paging.loading;
  const listed = loaded.state === "there" ? loaded.value.data : [];
  const users = usePeopleOf(listed);
  const names = new Map([...listed, ...users].map(({ id, name }) => [id, name ?? id]));
  const [{ role }] = useQuery();
  const [made, setMade] = useState<NewKeyAnswer | null>(null);
  const making = ({ onDone, onClose }: Ends) => ({
    onClose,
    onMade(key: NewKeyAnswer) {
      setMade(key);
      onDone();
    },
  });
  return (
    <ListPage
      title="API keys"
      what="API keys"
      lead="Keys that programs use to call the router, with what they spent this month."
      paging={paging}
      columns={columnsOf({ spending, names })}
      nameOf={(key) => nameOf(key, names)}
      verbs={verbsOf}
      empty="No API keys yet. Create one per program, so that each can be limited and revoked."
      make={{
        title: "New key",
        isOpen: role !== undefined,
        dialog: (ends) => (
          <Dialog title="New API key" onClose={ends.onClose}>
            <NewKey {...{ role }} onClose={ends.onClose} onDone={making(ends).onMade} />
          </Dialog>
        ),
      }}
      dialog={(doing, ends) => <Do {...{ doing, ...ends }} {...making(ends)} />}
    >
      {made !== null && (
        <Secret title={`The key ${made.name}`} secret={made.key} onDone={() => setMade(null)}>
          <p>
            Only a hash is stored.{" "}
            {roleIn(made.scopes) === ""
              ? "Put the key where your program reads it."
              : `Give it to the person, who signs in with it at ${routerUrl}/console.`}
          </p>
        </Secret>
      )}
    </ListPage>
  );
}
