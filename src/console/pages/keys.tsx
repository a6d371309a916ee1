import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { day, shortTime, time } from "../format.ts";
import { useLoaded, valueIn } from "../load.ts";
import { dayColumn, fileColumn, isoOf, lineColumn, type Column } from "../parts/columns.tsx";
import { CodeBlock, idFact, Secret } from "../parts/copy.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Fields, useDraft } from "../parts/form.tsx";
import { limitText } from "../parts/limits.tsx";
import {
  allPages,
  DetailsOf,
  ListPage,
  NoMatch,
  usePaging,
  useQuery,
  type Ends,
  type Part,
} from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { Badge, Button, type Fact } from "../parts/page.tsx";
import {
  BudgetCell,
  RequestsOf,
  spendColumns,
  spendFacts,
  useSpending,
  type Spender,
} from "../parts/spend.tsx";
import { ok, type Asked } from "../problem.ts";
import { ChangeKey, consoleUrl, NewKey, roleIn } from "./key-forms.tsx";

type Key = Schemas["Key"];
type Made = Schemas["NewKey"];
type Spending = ReadonlyMap<string, Spender>;

const keysPath = "/admin/v1/tenants/{tenant}/keys";
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
const nameOf = (key: Key, names: Names): string =>
  isSignIn(key) ? `${personOf(key, names)}’s sign-in` : key.name;

const columnsOf = (names: Names, spending: Spending): readonly Column<Key>[] => [
  {
    title: "Name",
    show(key) {
      const { id, expiresAt } = key;
      return (
        <span class={`name-state ${isActive(key) ? "" : "faint"}`}>
          <DetailsOf {...{ id }} name={nameOf(key, names)} />
          {!isActive(key) && <Badge word={stateOf(key)} />}
          {isActive(key) && expiresAt !== null && (
            <small title={time(expiresAt)}>
              until {(expiresAt < Date.now() + 86_400_000 ? shortTime : day)(expiresAt)}
            </small>
          )}
        </span>
      );
    },
    text: (key) => nameOf(key, names),
  },
  fileColumn("Id", ({ id }) => id),
  fileColumn("State", stateOf),
  lineColumn("Person", (key) => personOf(key, names)),
  ...spendColumns<Key>(({ id }) => spending.get(id)),
  lineColumn("Scopes", ({ scopes }) => scopes.join(", ")),
  fileColumn("Limits", ({ limits }) => limitText(limits)),
  dayColumn("Created", ({ createdAt }) => createdAt),
  fileColumn("Created by", ({ createdBy }) => createdBy),
  fileColumn("Ends", ({ expiresAt }) => isoOf(expiresAt)),
];

const BudgetOfPerson = ({ id }: { id: string }) => (
  <BudgetCell state={useSpending("user").get(id)?.budget} />
);

const factsOf = (key: Key, { names, spending }: { names: Names; spending: Spending }): Fact[] => [
  ["State", stateOf(key)],
  key.revokedAt !== null && ["Revoked", time(key.revokedAt)],
  ["Scopes", key.scopes.join(", ")],
  ["Person", personOf(key, names) ?? "none"],
  ...spendFacts(spending.get(key.id)),
  key.userId !== null && ["The person’s budget", <BudgetOfPerson id={key.userId} />],
  ["Limits", limitText(key.limits) || "none of its own"],
  ["Ends", key.expiresAt === null ? "never" : time(key.expiresAt)],
  ["Created", `${time(key.createdAt)}, by ${names[key.createdBy] ?? key.createdBy}`],
  ["Requests", <RequestsOf by="key" id={key.id} name={`Requests of ${nameOf(key, names)}`} />],
  idFact(key.id),
];

type DoProps = Ends & { doing: { verb: Verb; row: Key }; setMade: (made: Made) => void };

function Do({ doing: { row, ...begun }, setMade, ...ends }: DoProps) {
  const [verb, setVerb] = useState(begun.verb);
  const { id, name } = row;
  const title = `${verb} ${name}`;
  if (verb === "Change") return <ChangeKey {...{ title, id, ...ends }} />;
  if (verb === "Duplicate") {
    const like = { ...row, name: `${name} (copy)`, expiresAt: null };
    return <NewKey {...{ title, like, setMade, ...ends }} />;
  }
  const rotate = async () => {
    const made = await api.POST(`${keysPath}/{id}/rotate`, { id });
    if (made.ok) setMade(made.value);
    return made;
  };
  return verb === "Rotate" ? (
    <Confirm title="Rotate key" act={rotate} {...ends}>
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
const secretOf = ({ id }: Key): string => id.replace("key_", "srk_");
const withoutSecret = (text: string): string => text.replace(/^(srk_[0-9a-z]+)_.*$/, "$1");

/** By name, person, id, or the start of the secret. */
function isFound(key: Key, { find, names }: { find: string; names: Names }): boolean {
  const texts = [nameOf(key, names), personOf(key, names), key.userId, key.id, secretOf(key)];
  return texts.some((text) => text?.toLowerCase().includes(find.trim().toLowerCase()));
}

const filterFields = [
  { name: "find", title: "Find", placeholder: "name, person, or srk_…" },
  {
    name: "show",
    title: "Show",
    options: [
      ["", "current keys"],
      ["active", "active keys of programs"],
    ],
  },
] as const;

type Keys = Part<Key> & { names: Names };
const noKeys: Keys = { data: [], nextCursor: null, names: {} };

async function allKeys(): Promise<Asked<Keys>> {
  const asked = await allPages(keysPath, { limit: 200 });
  if (!asked.ok) return asked;
  const names = Object.assign({}, ...asked.value.map((page) => page.names)) as Names;
  return ok({ ...noKeys, data: asked.value.flatMap(({ data }) => data), names });
}

/** The page of keys, or what is found in all. */
function useKeys(asked: string) {
  const { draft, change } = useDraft({ find: asked, show: "" });
  const { find, show } = draft;
  const paging = usePaging(keysPath);
  const isWhole = paging.cursor === null && valueIn(paging.loading)?.nextCursor === null;
  const readsAll = (find !== "" || show !== "") && !isWhole;
  const all = useLoaded(`all keys ${readsAll}`, async () => (readsAll ? allKeys() : ok(noKeys)));
  const again = async () => void (await Promise.all([paging.loading.again(), all.again()]));
  const { loaded } = readsAll ? all : paging.loading;
  const { data: listed, names } = valueIn({ loaded }) ?? noKeys;
  const filters = (
    <div class="filters">
      <Fields
        of={filterFields}
        draft={draft}
        change={({ find: text, ...rest }) =>
          change({ ...rest, ...(text !== undefined && { find: withoutSecret(text) }) })
        }
      />
    </div>
  );
  return {
    names,
    filters,
    paging: { ...paging, loading: { loaded, again } },
    keep: (key: Key): boolean =>
      isFound(key, { find, names }) && (show === "" || (isActive(key) && !isSignIn(key))),
    /** People's sign-ins and keys that ended long ago are behind "Show all", unless they are looked for. */
    isShown: (key: Key): boolean =>
      find !== "" || (endOf(key) > Date.now() - 86_400_000 && !isSignIn(key)),
    empty:
      listed.length === 0 ? (
        "No API keys yet. Create one per program, so that each can be limited and revoked."
      ) : (
        <NoMatch clear={() => change({ find: "", show: "" })} />
      ),
  };
}

export function Keys() {
  const [{ role, find = "" }] = useQuery();
  const [made, setMade] = useState<Made | null>(null);
  const { filters, names, ...shown } = useKeys(find);
  const spending = useSpending("key");
  const like = { scopes: [(role ?? "sampling") as Key["scopes"][number]] };
  return (
    <ListPage
      title="API keys"
      lead="Keys that programs use to call the router, with what they spent this month."
      {...shown}
      order={{ title: "Spent", isDescending: true }}
      columns={columnsOf(names, spending)}
      nameOf={(key) => nameOf(key, names)}
      details={(key) => factsOf(key, { names, spending })}
      verbs={({ revokedAt }) => (revokedAt === null ? verbs : [])}
      make={{
        title: "New key",
        isOpen: role !== undefined,
        dialog: (ends) => <NewKey title="New API key" {...{ like, setMade, ...ends }} />,
      }}
      dialog={(doing, ends) => <Do {...{ doing, setMade, ...ends }} />}
    >
      {made !== null && (
        <Secret title={`The key ${made.name}`} secret={made.key} onDone={() => setMade(null)}>
          <p>Only a hash is stored. Put the key where it is used.</p>
          {roleIn(made.scopes) !== "" && (
            <CodeBlock title="Where people sign in with it" text={consoleUrl} />
          )}
        </Secret>
      )}
      {filters}
    </ListPage>
  );
}
