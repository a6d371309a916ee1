import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { later } from "../later.tsx";
import { useLoaded, valueIn } from "../load.ts";
import { fileColumn, isoOf, textColumn, type Column } from "../parts/columns.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Health } from "../parts/health.tsx";
import { ListPage, usePaging, type Ends } from "../parts/list-page.tsx";
import { There } from "../parts/page.tsx";
import { spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import { ok } from "../problem.ts";
import { checkCredential, CheckResult, credentialHealth, faultText } from "./credential-check.tsx";

const CredentialForm = later(async () => (await import("./credential-forms.tsx")).CredentialForm);

type Credential = Schemas["Credential"];
const verbs = ["Check", "Change", "Delete"] as const;

function faultOf({ lastCheck }: Credential): string | null {
  if (lastCheck === null || lastCheck.ok) return null;
  return lastCheck.fault === null ? "no model answered" : faultText(lastCheck.fault);
}

/** Of the provider's models, which may have several credentials. */
const ofProvider = (rows: readonly Spender[], provider: string): Spender | undefined =>
  rows
    .filter(({ group }) => group.startsWith(`${provider}/`))
    .reduce<Spender | undefined>((sum, row) => {
      const { costUsd = 0, requests = 0, lastUsedAt = 0 } = sum ?? {};
      return {
        ...row,
        costUsd: costUsd + row.costUsd,
        requests: requests + row.requests,
        lastUsedAt: Math.max(lastUsedAt, row.lastUsedAt),
      };
    }, undefined);

const columnsOf = (
  spenders: readonly Spender[],
  healthOf: ReturnType<typeof credentialHealth>,
): readonly Column<Credential>[] => [
  {
    title: "Provider",
    show: ({ provider, baseUrl }) => (
      <>
        {provider}
        {baseUrl !== null && (
          <div>
            <code class="wraps faint">{baseUrl}</code>
          </div>
        )}
      </>
    ),
    text: ({ provider }) => provider,
  },
  textColumn("Name", ({ name }) => name),
  {
    title: "State",
    show: (row) => <Health {...healthOf(row)} fault={faultOf(row)} />,
    text: (row) => healthOf(row).state,
  },
  fileColumn("Error", faultOf),
  fileColumn("Last check", ({ lastCheck }) => isoOf(lastCheck?.at)),
  // Credentials of a provider share its spend, so that a sum would be wrong.
  ...spendColumns<Credential>(({ provider }) => ofProvider(spenders, provider)).map(
    ({ sum: _, ...column }) => column,
  ),
  fileColumn("Address", ({ baseUrl }) => baseUrl),
  fileColumn("Updated", ({ updatedAt }) => isoOf(updatedAt)),
];

interface OfCredential extends Ends {
  row: Credential;
  again: () => Promise<void>;
}

function Check({ row: { id, provider, name }, again, onDone }: OfCredential) {
  const loading = useLoaded(`check of ${id}`, async () => {
    const found = await checkCredential(id);
    void again();
    return found;
  });
  return (
    <Dialog title={`Check ${provider} (${name})`} onClose={onDone}>
      <There what={`the provider’s answer for ${name}`} loading={loading}>
        {(value) => <CheckResult name={name} found={ok(value)} />}
      </There>
    </Dialog>
  );
}

/** Then checks what was saved. */
function Save({ row, again, ...ends }: Omit<OfCredential, "row"> & { row?: Credential }) {
  const [saved, setSaved] = useState<Credential | null>(null);
  if (saved !== null) return <Check row={saved} {...{ again, ...ends }} />;
  return (
    <Dialog
      title={row === undefined ? "New credential" : `Change ${row.name}`}
      onClose={ends.onClose}
    >
      <CredentialForm
        {...(row && { credential: row })}
        onDone={(made) => {
          setSaved(made);
          void again();
        }}
        onClose={ends.onClose}
      />
    </Dialog>
  );
}

const Delete = ({ row: { id, name, provider }, onDone, onClose }: OfCredential) => (
  <Confirm
    title="Delete credential"
    act={() => api.DELETE("/admin/v1/tenants/{tenant}/credentials/{id}", { id })}
    {...{ onDone, onClose }}
  >
    <p>
      Models of <strong>{provider}</strong> that need {name} can no longer be selected. The
      provider’s key is deleted.
    </p>
  </Confirm>
);

const dialogs = { Check, Change: Save, Delete };

export function Credentials() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/credentials");
  const { again } = paging.loading;
  const spenders = [...useSpending("model").values()];
  const healthOf = credentialHealth(
    valueIn(paging.loading)?.data ?? [],
    spenders.filter(({ succeeded }) => succeeded > 0),
  );
  return (
    <ListPage
      title="Credentials"
      lead="Keys of model providers, with this month’s spend and requests of each provider. The keys that your programs use are API keys."
      paging={paging}
      columns={columnsOf(spenders, healthOf)}
      nameOf={({ name }) => name}
      verbs={() => verbs}
      empty="No credentials yet. Add one to make models available."
      make={{ title: "New credential", dialog: (ends) => <Save {...{ again, ...ends }} /> }}
      dialog={({ verb, row }, ends) => {
        const Shown = dialogs[verb];
        return <Shown {...{ row, again, ...ends }} />;
      }}
    />
  );
}
