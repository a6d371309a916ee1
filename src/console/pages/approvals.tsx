import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { pendingWord } from "../requests/cause.ts";
import { conditionsText } from "../approvals/conditions.ts";
import { Decide, Deny, HeldCall } from "../approvals/decide.tsx";
import type { Decided, DecideProps, Held } from "../approvals/decide.tsx";
import { fromNow, none, usdOfCall } from "../format.ts";
import { useRead, useRepeated, valueIn } from "../load.ts";
import { column, isoOf, Time, type Column } from "../parts/columns.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Fields } from "../parts/form.tsx";
import { Listed, useOpened, usePaging, useQuery } from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { Badge, Button, ForRole, Page, There } from "../parts/page.tsx";
import { RowActions } from "../parts/row-actions.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import { ownPath } from "../place.ts";
import { may } from "../session.ts";

type Call = Schemas["ListedApproval"];
type State = Call["state"] | "all";

const badges: Readonly<Record<State, { word: string; tone?: string }>> = {
  waiting: { word: pendingWord },
  approved: { word: "approved", tone: "good" },
  started: { word: "approved, ran", tone: "good" },
  denied: { word: "denied", tone: "bad" },
  expired: { word: "expired" },
  withdrawn: { word: "withdrawn by the caller" },
  all: { word: "all" },
};
const options = Object.entries(badges).map(([state, { word }]) => [state, word] as const);
const fields = [{ name: "state", title: "State", options }] as const;

const why = "Why it needs approval";

const callColumns = (names: Names, open: (id: string) => void): Column<Call>[] => [
  column.of(
    "Asked",
    ({ createdAt }) => isoOf(createdAt),
    ({ requestId, createdAt }) =>
      may("approve") ? (
        <Button class="link" aria-haspopup="dialog" onClick={() => open(requestId)}>
          <Time at={createdAt} />
        </Button>
      ) : (
        <Time at={createdAt} />
      ),
  ),
  column.of(
    "State",
    ({ state }) => badges[state].word,
    ({ state }) => <Badge {...badges[state]} />,
  ),
  column.of(
    "Model",
    ({ model }) => model,
    ({ model }) => <span class="nowrap">{model}</span>,
  ),
  column.number("Highest cost", ({ maxCostUsd }) => maxCostUsd, usdOfCall),
  column.text("Asked by", ({ user, keyId }) =>
    [names[user ?? ""] ?? [], names[keyId] ?? keyId].flat().join(", "),
  ),
  column.of(
    why,
    ({ conditions }) => conditions.join(" "),
    ({ conditions, maxCostUsd }) => conditionsText(conditions, maxCostUsd),
  ),
  column.text("Stage", ({ stage }) => (stage === "result" ? "result" : null)),
  column.of(
    "Decision",
    ({ decidedBy }) => names[decidedBy ?? ""] ?? decidedBy,
    ({ state, deadline, decidedBy, comment }) =>
      state === "waiting" ? (
        <span class="nowrap">due {fromNow(deadline)}</span>
      ) : (
        [names[decidedBy ?? ""] ?? decidedBy ?? none, comment ?? []].flat().join(": ")
      ),
  ),
  column.file("Reason", ({ comment }) => comment),
  column.file("Deadline", ({ state, deadline }) => (state === "waiting" ? isoOf(deadline) : null)),
  column.file("Request", ({ requestId }) => requestId),
];

function endOf({ state, decidedBy, isOwn, comment, names }: Schemas["Approval"]): string {
  const by = decidedBy === null ? "" : ` by ${names[decidedBy] ?? decidedBy}`;
  const own = isOwn ? ", who made the call" : "";
  return `This call is no longer pending: ${state}${by}${own}. ${comment ?? ""}`;
}

type OpenedProps = Omit<DecideProps, "held"> & { id: string };

function Opened({ id, onConflict, ...its }: OpenedProps) {
  const loading = useRead("/admin/v1/tenants/{tenant}/approvals/{id}", { id });
  const reload = () => loading.again().then(onConflict);
  return (
    <There what="the call" loading={loading}>
      {(held) => (
        <div class="stack">
          <HeldCall held={held} />
          {held.state === "waiting" ? (
            <Decide key={held.contentHash} {...its} held={held} onConflict={reload} />
          ) : (
            <p class="notice" role="status">
              {endOf(held)}
            </p>
          )}
        </div>
      )}
    </There>
  );
}

/** Receives the focus when the dialog with the pressed button closes. */
function Notice({ text, requestId }: Decided) {
  useEffect(() => document.querySelector("h1")?.focus(), []);
  return (
    <p class="notice good" role="status">
      {text} <a href={ownPath(`/requests/${requestId}`)}>View request</a>
    </p>
  );
}

const NoCalls = () => (
  <>
    <p>No pending approvals.</p>
    <a class="button" href={ownPath("/policy#approval")}>
      Set which calls need approval
    </a>
  </>
);

function Calls({ state }: { state: State }) {
  const { shown, open, close } = useOpened(useQuery());
  const isAll = state === "all";
  const paging = usePaging("/admin/v1/tenants/{tenant}/approvals", isAll ? {} : { state });
  const { loading, cursor } = paging;
  useRepeated(cursor === null ? 3_000 : null, loading.again);
  const [decided, say] = useState<Decided | null>(null);
  const [denied, deny] = useState<Held | null>(null);
  const names = valueIn(loading)?.names ?? {};
  const actions = (call: Call) => (
    <RowActions
      of={`call ${call.requestId.slice(-6)}`}
      verbs={call.state === "waiting" && may("approve") ? ["Approve", "Deny"] : []}
      act={(verb) => (verb === "Deny" ? deny(call) : open(call.requestId))}
    />
  );
  const columns = callColumns(names, open).filter(({ title }) => title !== (isAll ? why : "State"));
  const onDone = (done: Decided): void => {
    if (shown !== undefined) close();
    deny(null);
    say(done);
    void loading.again();
  };
  return (
    <>
      {decided !== null && shown === undefined && <Notice key={decided.requestId} {...decided} />}
      <Listed
        what="pending approvals"
        paging={paging}
        name="Approvals"
        columns={[...columns, { title: "", show: actions }]}
        keyOf={({ requestId, stage }) => `${requestId} ${stage}`}
        {...(may("approve") && { open: ({ requestId }: Call) => open(requestId) })}
        empty={state === "waiting" ? <NoCalls /> : "No calls with this state."}
      />
      {denied !== null && <Deny call={denied} onDone={onDone} onClose={() => deny(null)} />}
      {shown !== undefined && may("approve") && (
        <Dialog title="Approval" onClose={close} isDrawer>
          <Opened id={shown} {...{ deny, onDone }} onConflict={loading.again} />
        </Dialog>
      )}
    </>
  );
}

export function Approvals() {
  const [query, change] = useQuery();
  const { state: given = "" } = query;
  const state = Object.hasOwn(badges, given) ? (given as State) : "waiting";
  return (
    <Page
      title="Approvals"
      lead="Calls that wait for an approver, as the policy requires. A key can’t approve its own calls."
    >
      <div class="filters">
        <Fields of={fields} draft={{ state }} change={change} />
      </div>
      <Calls key={state} state={state} />
      <Webhooks />
      <ForRole permission="approve" without="can’t read or decide pending approvals" />
    </Page>
  );
}
