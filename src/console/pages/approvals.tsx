import { Button } from "../parts/card.tsx";
import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { Decide, type Decision } from "../approvals/decide.tsx";
import { conditionsText, pendingWord } from "../approvals/conditions.ts";
import { Webhooks } from "../parts/webhooks.tsx";
import { Held } from "../approvals/held.tsx";
import { fromNow } from "../format.ts";
import { useRead, useRepeated } from "../load.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/form.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { NotForRole } from "../parts/role.tsx";
import { Steps, useOpened, useQuery } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { ownPath } from "../place.ts";
import { may } from "../session.ts";

type Listed = Schemas["ListedApproval"];
type State = Listed["state"];

const refreshMs = 3_000;
const states: readonly (readonly [State | "", string])[] = [
  ["", "all"],
  ["waiting", pendingWord],
  ["approved", "approved"],
  ["started", "started"],
  ["denied", "denied"],
  ["expired", "expired"],
  ["withdrawn", "withdrawn by the caller"],
];

interface ColumnOptions {
  names: Readonly<Record<string, string>>;
  open: (id: string) => void;
}

const columnsOf = ({ names, open }: ColumnOptions): Column<Listed>[] => [
  {
    title: "Came",
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
    show: ({ state }) => (
      <Badge {...(state === "waiting" ? { word: pendingWord, tone: "warn" } : { word: state })} />
    ),
    text: ({ state }) => state,
  },
  { title: "Stage", text: ({ stage }) => stage },
  {
    title: "Why it needs approval",
    show: ({ conditions }) => conditionsText(conditions),
    text: ({ conditions }) => conditions.join(" "),
  },
  {
    title: "Until",
    show: ({ deadline }) => fromNow(deadline),
    text: ({ deadline }) => isoOf(deadline),
  },
  {
    title: "Asked by",
    show: ({ keyId }) => names[keyId] ?? <code>{keyId}</code>,
    text: ({ keyId }) => keyId,
  },
  {
    title: "Decided by",
    show: ({ decidedBy }) => (decidedBy === null ? "–" : (names[decidedBy] ?? decidedBy)),
    text: ({ decidedBy }) => decidedBy,
  },
  { title: "Reason", show: ({ comment }) => comment ?? "–", text: ({ comment }) => comment },
  {
    title: "Request",
    show: ({ requestId }) => (
      <a href={ownPath(`/requests/${encodeURIComponent(requestId)}`)}>
        <code>{requestId.slice(-6)}</code>
      </a>
    ),
    text: ({ requestId }) => requestId,
  },
];

interface DrawerProps {
  id: string;
  onDone: (decision: Decision) => void;
  onConflict: () => void;
  onClose: () => void;
}

function Decided({ held }: { held: Schemas["Approval"] }) {
  const { state, decidedBy, isOwn, comment, names } = held;
  const by = decidedBy === null ? "" : ` by ${names[decidedBy] ?? decidedBy}`;
  return (
    <p class="notice" role="status">
      This call is no longer pending: {state}
      {by}
      {isOwn && ", who made the call"}.{comment !== null && ` ${comment}`}
    </p>
  );
}

function ApprovalDrawer({ id, onDone, onConflict, onClose }: DrawerProps) {
  const loading = useRead("/admin/v1/tenants/{tenant}/approvals/{id}", { id });
  return (
    <Dialog title="Approval" onClose={onClose} isDrawer>
      <There what="the call" loading={loading}>
        {(held) => (
          <div class="stack">
            <Held held={held} />
            {held.state === "waiting" ? (
              <Decide
                key={held.contentHash}
                {...{ held, onDone }}
                onConflict={() => {
                  void loading.again();
                  onConflict();
                }}
              />
            ) : (
              <Decided held={held} />
            )}
          </div>
        )}
      </There>
    </Dialog>
  );
}

function useHeldCalls({ state, cursor }: { state: State | ""; cursor: string | null }) {
  const loading = useRead("/admin/v1/tenants/{tenant}/approvals", {
    ...(state !== "" && { state }),
    ...(cursor !== null && { cursor }),
  });
  useRepeated(cursor === null ? refreshMs : null, loading.again);
  return loading;
}

/** Receives the focus when the drawer with the pressed button closes. */
function Notice({ text }: { text: string }) {
  useEffect(() => document.querySelector("h1")?.focus(), []);
  return (
    <p class="notice good" role="status">
      {text}
    </p>
  );
}

const NoApprovals = () => (
  <>
    <p>No pending approvals.</p>
    <a class="button" href={ownPath("/policy#approval")}>
      Set which calls need approval
    </a>
  </>
);

export function Approvals() {
  const inAddress = useQuery();
  const [query, change] = inAddress;
  const { shown, open, close } = useOpened(inAddress);
  const state = states.find(([each]) => each === query["state"])?.[0] ?? "";
  const cursor = query["cursor"] ?? null;
  const loading = useHeldCalls({ state, cursor });
  const [notice, say] = useState<string | null>(null);
  return (
    <Page
      title="Approvals"
      lead="Calls that wait for an approver, as the policy requires. A key can’t approve its own calls."
    >
      {notice !== null && shown === undefined && <Notice key={notice} text={notice} />}
      <div class="filters">
        <Choice
          title="State"
          name="state"
          value={state}
          options={states}
          onInput={(value) => change({ state: value, cursor: "" })}
        />
      </div>
      <There what="pending approvals" loading={loading}>
        {({ data, nextCursor, names }) => (
          <Table
            name="Approvals"
            columns={columnsOf({ names, open })}
            rows={data}
            keyOf={({ requestId, stage }) => `${requestId} ${stage}`}
            current={null}
            {...(may("approve") && { open: ({ requestId }: Listed) => open(requestId) })}
            empty={<NoApprovals />}
            foot={
              <Steps {...{ cursor, next: nextCursor }} go={(to) => change({ cursor: to ?? "" })} />
            }
          />
        )}
      </There>
      <Webhooks />
      {!may("approve") && (
        <NotForRole what="can’t read or decide pending approvals" permission="approve" />
      )}
      {shown !== undefined && may("approve") && (
        <ApprovalDrawer
          {...{ id: shown }}
          onClose={close}
          onConflict={() => void loading.again()}
          onDone={(decision) => {
            close();
            say(decision === "approve" ? "Approved." : "Denied.");
            void loading.again();
          }}
        />
      )}
    </Page>
  );
}
