import { useState } from "preact/hooks";
import { networkMessage } from "../../domain/network-fault.ts";
import { api, type Schemas } from "../api.ts";
import { fromNow, spaced } from "../format.ts";
import { later } from "../later.tsx";
import { useLoaded } from "../load.ts";
import { column, isoOf, type Column } from "../parts/columns.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { healthColumns, type Seen } from "../parts/health.tsx";
import { ListPage, usePaging, type Ends } from "../parts/list-page.tsx";
import { There } from "../parts/page.tsx";
import { spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import { faultAdvice } from "../requests/cause.ts";

const CredentialForm = later(async () => (await import("./credential-forms.tsx")).CredentialForm);

type Credential = Schemas["Credential"];

type Fault = NonNullable<Schemas["CredentialCheck"]["fault"]>;
function faultText({ kind, status, code, network }: Fault): string {
  if (network !== undefined) return networkMessage(network);
  return `${spaced(code ?? kind)}${status === null ? "" : ` (HTTP ${status})`}`;
}

/** By the last call or check. */
export function seenOf({ status, lastCheck: check, lastCall: call }: Credential): Seen {
  const [last, failed, did] =
    call && call.at > (check?.at ?? 0)
      ? ([call, "calls fail", "used"] as const)
      : ([check, "check failed", "checked"] as const);
  const state = last === null ? "not checked" : last.ok ? "works" : failed;
  return {
    state: status === "failing" ? "key rejected" : state,
    when: last === null ? "" : `${did} ${fromNow(last.at)}`,
    check,
    fault: last?.ok === false ? (last.fault ? faultText(last.fault) : "no model answered") : null,
  };
}

/** Of the provider’s models, which may have several credentials. */
function ofProvider(rows: readonly Spender[], provider: string): Spender | undefined {
  const its = rows.filter(({ group }) => group.startsWith(`${provider}/`));
  const all = (name: "costUsd" | "requests" | "lastUsedAt") => its.map((row) => row[name]);
  const sum = (one: number, other: number): number => one + other;
  return (
    its[0] && {
      ...its[0],
      costUsd: all("costUsd").reduce(sum),
      requests: all("requests").reduce(sum),
      lastUsedAt: Math.max(...all("lastUsedAt")),
    }
  );
}

const columnsOf = (spenders: readonly Spender[]): readonly Column<Credential>[] => [
  column.of(
    "Provider",
    ({ provider }) => provider,
    ({ provider, baseUrl }) => (
      <>
        {provider}
        <div>{baseUrl !== null && <code class="wraps faint">{baseUrl}</code>}</div>
      </>
    ),
  ),
  column.text("Name", ({ name }) => name),
  ...healthColumns(seenOf),
  // Credentials of a provider share its spend, so that a sum would be wrong.
  ...spendColumns<Credential>(({ provider }) => ofProvider(spenders, provider)).map(
    ({ sum: _, ...each }) => each,
  ),
  column.file("Address", ({ baseUrl }) => baseUrl),
  column.file("Updated", ({ updatedAt }) => isoOf(updatedAt)),
];

type Checking = { row: Credential; again: () => Promise<void> };
type OfCredential = Checking & Ends;

/** Checks at its first showing. */
export function Checked({ row: { id, name }, again }: Checking) {
  const loading = useLoaded(`check of ${id}`, async () => {
    const found = await api.POST("/admin/v1/tenants/{tenant}/credentials/{id}/check", { id });
    void again();
    return found;
  });
  return (
    <There what={`the provider’s answer for ${name}`} loading={loading}>
      {({ ok, model, fault, listed, proposed, host }) => (
        <div class={`notice ${ok ? "good" : "bad"}`} role="status">
          <strong>
            {ok ? `${name} works: ${model ?? "a model"} answered.` : `${name} does not work.`}
          </strong>
          {[
            fault && `Error: ${faultText(fault)}. ${faultAdvice(fault.code ?? fault.kind) ?? ""}`,
            proposed.length > 0 &&
              `To use the catalogue’s figures, set the models to ${JSON.stringify(proposed)}`,
            host && `This is a known server. Add it as the provider ${host}.`,
            listed &&
              `The provider lists ${listed.length === 1 ? "one model" : `${listed.length} models`} for this key.`,
          ].map((text) => text && <p key={text}>{text}</p>)}
        </div>
      )}
    </There>
  );
}

const Check = ({ onDone, ...its }: OfCredential) => (
  <Dialog title={`Check ${its.row.provider} (${its.row.name})`} onClose={onDone}>
    <Checked {...its} />
  </Dialog>
);

/** Then checks what was saved. */
function Save({ row, again, ...ends }: Omit<OfCredential, "row"> & { row?: Credential }) {
  const [saved, setSaved] = useState<Credential>();
  if (saved) return <Check row={saved} {...{ again, ...ends }} />;
  return (
    <Dialog title={row ? `Change ${row.name}` : "New credential"} onClose={ends.onClose}>
      <CredentialForm credential={row} onDone={setSaved} onClose={ends.onClose} />
    </Dialog>
  );
}

const dialogs = { Check, Change: Save };

export function Credentials() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/credentials");
  const { again } = paging.loading;
  return (
    <ListPage
      title="Credentials"
      lead="Keys of model providers, with this month’s spend and requests of each provider. The keys that your programs use are API keys."
      paging={paging}
      columns={columnsOf([...useSpending("model").values()])}
      nameOf={({ name }) => name}
      verbs={() => ["Check", "Change"] as const}
      empty="No credentials yet. Add one to make models available."
      make={{ title: "New credential", dialog: (ends) => <Save {...{ again, ...ends }} /> }}
      dialog={({ verb, row }, ends) => {
        const Shown = dialogs[verb];
        return <Shown {...{ row, again, ...ends }} />;
      }}
      remove={{
        title: "Delete credential",
        act: ({ id }) => api.DELETE("/admin/v1/tenants/{tenant}/credentials/{id}", { id }),
        question: ({ name, provider }) =>
          `Models of ${provider} that need ${name} can no longer be selected. The provider’s key is deleted.`,
      }}
    />
  );
}
