import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { pendingWord } from "../requests/cause.ts";
import { Decide, Deny, type Decided, type DecideProps, type Held } from "../approvals/decide.tsx";
import { conditionsText, HeldCall } from "../approvals/held.tsx";
import { fromNow, none, usdOfCall } from "../format.ts";
import { useRead, useRepeated, valueIn } from "../load.ts";
import {
  fileColumn,
  isoOf,
  numberColumn,
  textColumn,
  Time,
  type Column,
} from "../parts/columns.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/form.tsx";
import { Listed, RowActions, useOpened, usePaging, useQuery } from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { Badge, Button, ForRole, Page, There } from "../parts/page.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import { ownPath } from "../place.ts";
import { may } from "../session.ts";

type Call = Schemas["ListedApproval"];
type State = Call["state"];

const stateWords: Readonly<Record<State, string>> = {
  waiting: pendingWord,
  approved: "approved",
  started: "approved, ran",
  denied: "denied",
  expired: "expired",
  withdrawn: "withdrawn by the caller",
};
const refreshMs = 3_000;
const states = [...Object.entries(stateWords), ["all", "all"]] as [State | "all", string][];
const good = { tone: "good" };
const tones: Partial<Record<State, typeof good>> = {
  approved: good,
  started: good,
  denied: { tone: "bad" },
};

const why = "Why it needs approval";

const askerOf = ({ user, keyId }: Call, names: Names): string =>
  [names[user ?? ""] ?? [], names[keyId] ?? keyId].flat().join(", ");

const callColumns = (names: Names, open: (id: string) => void): Column<Call>[] => [
  {
    title: "Asked",
    show: ({ requestId, createdAt }) =>
      may("approve") ? (
        <Button class="link" aria-haspopup="dialog" onClick={() => open(requestId)}>
          <Time at={createdAt} />
        </Button>
      ) : (
        <Time at={createdAt} />
      ),
    text: ({ createdAt }) => isoOf(createdAt),
  },
  {
    title: "State",
    show: ({ state }) => <Badge word={stateWords[state]} {...tones[state]} />,
    text: ({ state }) => stateWords[state],
  },
  {
    title: "Model",
    show: ({ model }) => <span class="nowrap">{model}</span>,
    text: ({ model }) => model,
  },
  numberColumn("Highest cost", ({ maxCostUsd }) => maxCostUsd, usdOfCall),
  textColumn("Asked by", (call) => askerOf(call, names)),
  {
    title: why,
    show: ({ conditions, maxCostUsd }) => conditionsText(conditions, maxCostUsd),
    text: ({ conditions }) => conditions.join(" "),
  },
];

const decisionColumns = (names: Names): Column<Call>[] => [
  textColumn("Stage", ({ stage }) => (stage === "result" ? "result" : null)),
  {
    title: "Decision",
    show: ({ state, deadline, decidedBy, comment }) =>
      state === "waiting" ? (
        <span class="nowrap">due {fromNow(deadline)}</span>
      ) : (
        [names[decidedBy ?? ""] ?? decidedBy ?? none, comment ?? []].flat().join(": ")
      ),
    text: ({ decidedBy }) => names[decidedBy ?? ""] ?? decidedBy,
  },
  fileColumn("Reason", ({ comment }) => comment),
  fileColumn("Deadline", ({ state, deadline }) => (state === "waiting" ? isoOf(deadline) : null)),
  fileColumn("Request", ({ requestId }) => requestId),
];

function endOf({ state, decidedBy, isOwn, comment, names }: Schemas["Approval"]): string {
  const by = decidedBy === null ? "" : ` by ${names[decidedBy] ?? decidedBy}`;
  const own = isOwn ? ", who made the call" : "";
  return `This call is no longer pending: ${state}${by}${own}. ${comment ?? ""}`;
}

interface DrawerProps extends Omit<DecideProps, "held" | "deny"> {
  id: string;
  deny: (call: Held) => void;
  onClose: () => void;
}

function Drawer({ id, deny, onConflict, onClose, onDone }: DrawerProps) {
  const loading = useRead("/admin/v1/tenants/{tenant}/approvals/{id}", { id });
  return (
    <Dialog title="Approval" onClose={onClose} isDrawer>
      <There what="the call" loading={loading}>
        {(held) => (
          <div class="stack">
            <HeldCall held={held} />
            {held.state === "waiting" ? (
              <Decide
                key={held.contentHash}
                {...{ held, onDone }}
                deny={() => deny(held)}
                onConflict={() => void loading.again().then(onConflict)}
              />
            ) : (
              <p class="notice" role="status">
                {endOf(held)}
              </p>
            )}
          </div>
        )}
      </There>
    </Dialog>
  );
}

/** Receives the focus when the dialog with the pressed button closes. */
function Notice({ text, requestId }: Decided) {
  useEffect(() => document.querySelector("h1")?.focus(), []);
  return (
    <p class="notice good" role="status">
      {text} <a href={ownPath(`/requests/${encodeURIComponent(requestId)}`)}>View request</a>
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

function Calls({ state }: { state: State | "all" }) {
  const { shown, open, close } = useOpened(useQuery());
  const paging = usePaging(
    "/admin/v1/tenants/{tenant}/approvals",
    state === "all" ? {} : { state },
  );
  const { loading, cursor } = paging;
  useRepeated(cursor === null ? refreshMs : null, loading.again);
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
  const columns = [...callColumns(names, open), ...decisionColumns(names)];
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
        columns={[
          ...columns.filter(({ title }) => title !== (state === "all" ? why : "State")),
          { title: "", show: actions },
        ]}
        keyOf={({ requestId, stage }) => `${requestId} ${stage}`}
        {...(may("approve") && { open: ({ requestId }: Call) => open(requestId) })}
        empty={state === "waiting" ? <NoCalls /> : "No calls with this state."}
      />
      {denied !== null && <Deny call={denied} onDone={onDone} onClose={() => deny(null)} />}
      {shown !== undefined && may("approve") && (
        <Drawer
          id={shown}
          {...{ deny, onDone }}
          onClose={close}
          onConflict={() => void loading.again()}
        />
      )}
    </>
  );
}

export function Approvals() {
  const [query, change] = useQuery();
  const state = states.find(([each]) => each === query["state"])?.[0] ?? "waiting";
  return (
    <Page
      title="Approvals"
      lead="Calls that wait for an approver, as the policy requires. A key can’t approve its own calls."
    >
      <div class="filters">
        <Field
          title="State"
          name="state"
          value={state}
          options={states}
          onInput={(value) => change({ state: value })}
        />
      </div>
      <Calls key={state} state={state} />
      <Webhooks />
      <ForRole permission="approve" without="can’t read or decide pending approvals" />
    </Page>
  );
}
