import { useState } from "preact/hooks";
import { roleOf } from "../../domain/tenancy/scopes.ts";
import { api, type ReadResult } from "../api.ts";
import { day, oneDay, shortTime, time } from "../format.ts";
import { valueIn } from "../load.ts";
import { column, isoOf } from "../parts/columns.tsx";
import { CodeBlock, idFact, Secret } from "../parts/copy.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Fields, useDraft } from "../parts/form.tsx";
import { limitText } from "../parts/limits.tsx";
import { DetailsOf, ListPage, NoMatch, useQuery, useSearched } from "../parts/list-page.tsx";
import { Badge, Button, type Fact } from "../parts/page.tsx";
import { RequestsOf, UsedLimits, useSpend } from "../parts/spend.tsx";
import { ownPath } from "../place.ts";
import { ChangeKey, consoleUrl, NewKey, type KeyEnds } from "./key-forms.tsx";

const keysPath = "/admin/v1/tenants/{tenant}/keys";
type Keys = ReadResult<typeof keysPath>;
type Key = Keys["data"][number];
type Names = Keys["names"];
type Made = Parameters<KeyEnds["onMade"]>;
type Around = { names: Names; spend: ReturnType<typeof useSpend<Key>> };

const verbs = ["Change", "Duplicate", "Rotate", "Revoke"] as const;
type Verb = (typeof verbs)[number];

const endOf = ({ revokedAt, expiresAt }: Key): number => revokedAt ?? expiresAt ?? Infinity;
const isActive = (key: Key): boolean => endOf(key) > Date.now();
const stateOf = (key: Key): string =>
  key.revokedAt !== null ? "revoked" : isActive(key) ? "active" : "expired";
/** People whose names aren't stored have only an id. */
const personOf = ({ userId }: Key, names: Names): string | null =>
  userId && (names[userId] ?? `${userId.slice(0, 12)}…`);
/** A person's sign-in names its key after the person's id. */
const isSignIn = ({ name }: Key): boolean => name.startsWith("Signs in (usr_");
/** Others are behind "Show all". */
const isCurrent = (key: Key): boolean => !isSignIn(key) && endOf(key) > Date.now() - oneDay;
const nameOf = (key: Key, names: Names): string =>
  isSignIn(key) ? `${personOf(key, names)}’s sign-in` : key.name;

const NameCell = ({ row, names }: { row: Key; names: Names }) => (
  <span class={`name-state ${isActive(row) ? "" : "faint"}`}>
    <DetailsOf id={row.id} name={nameOf(row, names)} />
    {!isActive(row) && <Badge word={stateOf(row)} />}
    {isActive(row) && row.expiresAt !== null && (
      <small title={time(row.expiresAt)}>
        until {(row.expiresAt < Date.now() + oneDay ? shortTime : day)(row.expiresAt)}
      </small>
    )}
  </span>
);

const columnsOf = ({ names, spend }: Around) => [
  column.of<Key>(
    "Name",
    (key) => nameOf(key, names),
    (row) => <NameCell {...{ row, names }} />,
  ),
  column.file<Key>("Id", ({ id }) => id),
  column.file<Key>("State", stateOf),
  column.line<Key>("Person", (key) => personOf(key, names)),
  ...spend.columns,
  column.line<Key>("Scopes", ({ scopes }) => scopes.join(", ")),
  column.file<Key>("Limits", ({ limits }) => limitText(limits)),
  column.file<Key>("Created", ({ createdAt }) => isoOf(createdAt)),
  column.file<Key>("Created by", ({ createdBy }) => createdBy),
  column.file<Key>("Ends", ({ expiresAt }) => isoOf(expiresAt)),
];

const factsOf = (key: Key, { names, spend }: Around): Fact[] => [
  ["State", stateOf(key)],
  key.revokedAt !== null && ["Revoked", time(key.revokedAt)],
  ["Scopes", key.scopes.join(", ")],
  ["Person", personOf(key, names) ?? "none"],
  ...spend.factsOf(key),
  ["Limits", <UsedLimits of={[key.id, `user:${key.userId}`]} limits={key.limits} />],
  ["Ends", key.expiresAt === null ? "never" : time(key.expiresAt)],
  ["Created", `${time(key.createdAt)}, by ${names[key.createdBy] ?? key.createdBy}`],
  ["Requests", <RequestsOf by="key" id={key.id} name={`Requests of ${nameOf(key, names)}`} />],
  idFact(key.id),
];

type MadeProps = { made: Made; onDone: () => void };

const MadeKey = ({ made: [{ name, key, scopes }, isRotated], onDone }: MadeProps) => (
  <Secret title={`The key ${name}`} secret={key} {...{ onDone }}>
    <p>
      {isRotated && "The old secret has stopped working. "}Put the key where it is used.{" "}
      <a href={ownPath("/start")} target="_blank">
        Settings of SDKs and clients
      </a>
    </p>
    {roleOf(scopes) !== null && (
      <CodeBlock title="Where people sign in with it" text={consoleUrl} />
    )}
  </Secret>
);

type DoProps = KeyEnds & { doing: { verb: Verb; row: Key } };

function Do({ doing: { row, ...begun }, onMade, ...ends }: DoProps) {
  const [verb, setVerb] = useState(begun.verb);
  const { id, name } = row;
  const title = `${verb} ${name}`;
  if (verb === "Change") return <ChangeKey {...{ title, id, ...ends }} />;
  if (verb === "Duplicate") {
    const like = { ...row, name: `${name} (copy)`, expiresAt: null };
    return <NewKey {...{ title, like, onMade, ...ends }} />;
  }
  const rotate = () => api.POST(`${keysPath}/{id}/rotate`, { id });
  return verb === "Rotate" ? (
    <Confirm title="Rotate key" act={rotate} {...ends} onDone={(key) => onMade(key, true)}>
      <p>
        <strong>{name}</strong> gets a new secret. The old one stops working immediately.
      </p>
    </Confirm>
  ) : (
    <Confirm title="Revoke key" act={() => api.DELETE(`${keysPath}/{id}`, { id })} {...ends}>
      <p>
        <strong>{name}</strong>: programs that use this key are refused. This can’t be undone.
      </p>
      <p>
        If the secret leaked but the key is still needed, give it a new secret instead.{" "}
        <Button class="quiet" onClick={() => setVerb("Rotate")}>
          Rotate instead
        </Button>
      </p>
    </Confirm>
  );
}

/** The secret begins with the key's id. The rest is not for the screen. */
const withoutSecret = (text: string): string => text.replace(/^(srk_[0-9a-z]+)_.*$/, "$1");

function isFound(key: Key, { find, names }: { find: string; names: Names }): boolean {
  const wanted = find.trim().toLowerCase().replace(/^srk/, "key");
  const texts = [nameOf(key, names), personOf(key, names), key.userId, key.id];
  return texts.some((text) => text?.toLowerCase().includes(wanted));
}

const usualLead = "Keys that programs use to call the router, with what they spent this month.";
const unownedLead =
  "Keys whose calls count for no person. Keys keep their person: duplicate one on behalf of a person, and revoke it.";
const shown = [
  ["", "current keys"],
  ["active", "active keys of programs"],
  ["unowned", "keys without a person"],
] as const;
const isAmong = (key: Key, show: string): boolean =>
  show === "unowned" ? key.userId === null : show === "" || (isActive(key) && !isSignIn(key));
const filterFields = [
  { name: "find", title: "Find", placeholder: "name, person, or srk_…" },
  { name: "show", title: "Show", options: shown },
] as const;

export function Keys() {
  const [{ role, ...query }] = useQuery();
  const [made, setMade] = useState<Made | null>(null);
  const { draft, change } = useDraft({ find: "", show: "", ...query });
  const { find, show } = draft;
  const paging = useSearched(keysPath, find !== "" || show !== "");
  const { data = [], names = {} } = valueIn(paging.loading) ?? {};
  const around = { names, spend: useSpend<Key>("key", ({ limits }) => limits) };
  const endsOf = (ends: Omit<KeyEnds, "onMade">): KeyEnds => ({
    ...ends,
    onMade: (...its) => {
      setMade(its);
      ends.onDone();
    },
  });
  const end = role === "auditor" ? Date.now() + 90 * oneDay : null;
  const like = { scopes: [(role ?? "models") as Key["scopes"][number]], expiresAt: end };
  return (
    <ListPage
      title="API keys"
      lead={show === "unowned" ? unownedLead : usualLead}
      paging={paging}
      keep={(key) => isFound(key, { find, names }) && isAmong(key, show)}
      // Looking for keys finds hidden ones, too.
      isShown={(key) => find !== "" || show === "unowned" || isCurrent(key)}
      order={{ title: "Spent", isDescending: true }}
      columns={columnsOf(around)}
      nameOf={(key) => nameOf(key, names)}
      details={(key) => factsOf(key, around)}
      empty={
        data.length === 0 ? (
          "No API keys yet. Create one per program, so that each can be limited and revoked."
        ) : (
          <NoMatch clear={() => change({ find: "", show: "" })} />
        )
      }
      verbs={({ revokedAt }) => (revokedAt === null ? verbs : [])}
      make={{
        title: "New key",
        isOpen: role !== undefined,
        dialog: (ends) => <NewKey title="New API key" {...{ like, ...endsOf(ends) }} />,
      }}
      dialog={(doing, ends) => <Do {...{ doing, ...endsOf(ends) }} />}
    >
      {made !== null && <MadeKey {...{ made }} onDone={() => setMade(null)} />}
      <div class="filters">
        <Fields
          of={filterFields}
          draft={draft}
          change={({ find: text = find, ...rest }) =>
            change({ ...rest, find: withoutSecret(text) })
          }
        />
      </div>
    </ListPage>
  );
}
