import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { Approval, Deny, type Decided, type Held } from "../approvals/decide.tsx";
import { badgeOf, badges, conditionsText, deciderOf } from "../approvals/texts.ts";
import { fromNow, usdOfCall } from "../format.ts";
import { useRepeated, valueIn } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Fields } from "../parts/form.tsx";
import { Listed, useOpened, usePaging, useQuery } from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { Badge, ForRole, Page } from "../parts/page.tsx";
import { RowActions } from "../parts/row-actions.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import { ownPath } from "../place.ts";
import { may } from "../session.ts";

type Call = Schemas["ListedApproval"];
type State = keyof typeof badges;

const options = Object.entries(badges).map(([state, { word }]) => [state, word] as const);
const fields = [{ name: "state", title: "State", options }] as const;

const why = "Why it needs approval";

const dueAt = ({ state, deadline }: Call) => (state === "waiting" ? deadline : null);

const callColumns = (names: Names): Column<Call>[] => [
  column.time("Asked", ({ createdAt }) => createdAt),
  column.of(
    "State",
    (call) => badgeOf(call).word,
    (call) => <Badge {...badgeOf(call)} />,
  ),
  column.line("Model", ({ model }) => model),
  column.number("Model’s highest cost", ({ maxCostUsd }) => maxCostUsd, usdOfCall),
  column.text("Asked by", ({ user, keyId }) =>
    [names[user ?? ""] ?? [], names[keyId] ?? keyId].flat().join(", "),
  ),
  column.of(why, conditionsText),
  column.text("Stage", ({ stage }) => (stage === "result" ? "result" : null)),
  { ...column.time("Due", dueAt, fromNow), isOptional: true },
  column.line("Decided by", (call) => deciderOf(call, names)),
  column.text("Reason", ({ comment }) => comment),
  column.file("Request", ({ requestId }) => requestId),
];

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

const lead =
  "Calls that wait for an approver, as the policy requires. A key can’t approve its own calls.";

export function Approvals() {
  const query = useQuery();
  const [{ state: given = "" }, change] = query;
  const { shown, open, close } = useOpened(query);
  const state = Object.hasOwn(badges, given) ? (given as State) : "waiting";
  const isAll = state === "all";
  const paging = usePaging("/admin/v1/tenants/{tenant}/approvals", isAll ? {} : { state });
  useRepeated(3_000, paging.loading.again);
  const [decided, say] = useState<Decided | null>(null);
  useEffect(() => say(null), [state]);
  const [denied, deny] = useState<Held | null>(null);
  const columns = callColumns(valueIn(paging.loading)?.names ?? {});
  const mayApprove = may("approve");
  const actions = (call: Call) => (
    <RowActions
      of={`call ${call.requestId.slice(-6)}`}
      verbs={call.state === "waiting" ? ["Approve", "Deny"] : ["Show"]}
      act={(verb) => (verb === "Deny" ? deny(call) : open(call.requestId))}
    />
  );
  const onDone = (done: Decided): void => {
    if (shown !== undefined) close();
    deny(null);
    say(done);
    void paging.loading.again();
  };
  return (
    <Page title="Approvals" lead={lead}>
      <div class="filters">
        <Fields of={fields} draft={{ state }} change={change} />
      </div>
      {decided !== null && shown === undefined && <Notice key={decided.requestId} {...decided} />}
      <Listed
        what="pending approvals"
        paging={paging}
        name="Approvals"
        columns={[
          ...columns.filter(({ title }) => title !== (isAll ? why : "State")),
          ...(mayApprove ? [{ title: "", show: actions }] : []),
        ]}
        keyOf={({ requestId, stage }) => `${requestId} ${stage}`}
        {...(mayApprove && { open: ({ requestId }: Call) => open(requestId) })}
        empty={state === "waiting" ? <NoCalls /> : "No calls with this state."}
      />
      {denied !== null && <Deny call={denied} onDone={onDone} onClose={() => deny(null)} />}
      {shown !== undefined && mayApprove && (
        <Dialog title="Approval" onClose={close} isDrawer>
          <Approval id={shown} {...{ deny, onDone }} />
        </Dialog>
      )}
      <Webhooks />
      <ForRole permission="approve" without="can’t read or decide pending approvals" />
    </Page>
  );
}
