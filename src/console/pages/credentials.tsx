import { api, type Schemas } from "../api.ts";
import { fromNow, usdInCents } from "../format.ts";
import { useLoaded } from "../load.ts";
import { fileColumn } from "../parts/columns.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { ListPage, type Ends } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import { lastUse, useSpending, type Spender } from "../parts/spend.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf } from "../parts/time.tsx";
import { CheckResult, checkCredential, faultText } from "./credential-check.tsx";
import { later } from "../later.tsx";

const forms = () => import("./credential-forms.tsx");
const NewCredential = later(async () => (await forms()).NewCredential);
const ChangeCredential = later(async () => (await forms()).ChangeCredential);

type Credential = Schemas["Credential"];
const verbs = ["Check", "Change", "Delete"] as const;

/** The check is what the state follows from. */
function stateOf({ status, lastCheck }: Credential): string {
  if (status === "failing") return "key rejected";
  return lastCheck?.ok === false ? "check failed" : "active";
}

function LastCheck({ lastCheck }: Credential) {
  if (lastCheck === null) return <span class="faint">never</span>;
  const { at, ok, fault } = lastCheck;
  return (
    <span class="one-line" title={isoOf(at) ?? ""}>
      {fromNow(at)}
      {!ok && `: ${fault === null ? "no model answered" : faultText(fault)}`}
    </span>
  );
}

/** Of the provider's models, which may have several credentials. */
function ofProvider(rows: readonly Spender[], provider: string) {
  const own = rows.filter(({ group }) => group.startsWith(`${provider}/`));
  return {
    costUsd: own.reduce((sum, { costUsd }) => sum + costUsd, 0),
    lastUsedAt: own.length === 0 ? null : Math.max(...own.map(({ lastUsedAt }) => lastUsedAt)),
  };
}

const columnsOf = (spenders: readonly Spender[]): readonly Column<Credential>[] => [
  { title: "Provider", text: ({ provider }) => provider },
  {
    title: "Name",
    show: ({ name }) => (
      <span class="one-line" title={name}>
        {name}
      </span>
    ),
    text: ({ name }) => name,
  },
  {
    title: "State",
    show: (credential) => (
      <Badge word={stateOf(credential)} tone={stateOf(credential) === "active" ? "good" : "bad"} />
    ),
    text: stateOf,
  },
  {
    title: "Last check",
    show: (credential) => <LastCheck {...credential} />,
    text: ({ lastCheck }) => isoOf(lastCheck?.at),
  },
  {
    title: "Provider’s spend",
    isNumber: true,
    show: ({ provider }) => usdInCents(ofProvider(spenders, provider).costUsd),
    text: ({ provider }) => ofProvider(spenders, provider).costUsd,
  },
  {
    title: "Last use",
    show({ provider }) {
      const { lastUsedAt } = ofProvider(spenders, provider);
      return <span class="nowrap">{lastUsedAt === null ? "–" : lastUse(lastUsedAt)}</span>;
    },
    text: ({ provider }) => isoOf(ofProvider(spenders, provider).lastUsedAt),
  },
  {
    title: "Address",
    show: ({ baseUrl }) =>
      baseUrl === null ? (
        <span class="faint">default</span>
      ) : (
        <code class="one-line">{baseUrl}</code>
      ),
    text: ({ baseUrl }) => baseUrl,
  },
  fileColumn("Updated", ({ updatedAt }) => isoOf(updatedAt)),
];

interface DoProps extends Ends {
  doing: { verb: (typeof verbs)[number]; row: Credential };
}

function Checked({ row: { id, name } }: { row: Credential }) {
  const loading = useLoaded(`check of ${id}`, () => checkCredential(id));
  return (
    <There what={`the provider’s answer for ${name}`} loading={loading}>
      {(value) => <CheckResult name={name} found={{ ok: true, value, tag: null }} />}
    </There>
  );
}

function Do({ doing: { verb, row }, onDone, onClose }: DoProps) {
  if (verb === "Check")
    return (
      <Dialog title="Check" onClose={onDone}>
        <Checked {...{ row }} />
      </Dialog>
    );
  if (verb === "Change")
    return (
      <Dialog title={`Change ${row.name}`} onClose={onClose}>
        <ChangeCredential {...{ credential: row, onDone, onClose }} />
      </Dialog>
    );
  const params = { id: row.id };
  return (
    <Confirm
      title="Delete credential"
      act={() => api.DELETE("/admin/v1/tenants/{tenant}/credentials/{id}", params)}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        Models of <strong>{row.provider}</strong> that need {row.name} can no longer be selected.
        The provider’s key is deleted.
      </p>
    </Confirm>
  );
}

export function Credentials() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/credentials");
  return (
    <ListPage
      title="Credentials"
      lead="Keys of model providers, with this month’s spend at each provider. They can’t be read back. For keys that your programs use, see API keys."
      paging={paging}
      columns={columnsOf([...useSpending("model").values()])}
      nameOf={({ name }) => name}
      verbs={() => verbs}
      empty="No credentials yet. Add one to make models available."
      make={{
        title: "New credential",
        dialog: ({ onDone, onClose }) => (
          <Dialog title="New credential" onClose={onClose}>
            <NewCredential {...{ onDone, onClose }} />
          </Dialog>
        ),
      }}
      dialog={(doing, ends) => <Do {...{ doing, ...ends }} />}
    />
  );
}
