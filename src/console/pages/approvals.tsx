import { useEffect, useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { Decide, type Decision } from "../approvals/decide.tsx";
import { conditionsText, pendingWord } from "../approvals/conditions.ts";
import { Webhooks } from "../parts/webhooks.tsx";
import { Held } from "../approvals/held.tsx";
import { fromNow } from "../format.ts";
import { useLoaded, useRepeated } from "../load.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/form.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { NotForRole } from "../parts/role.tsx";
import { Steps, useOpened, useQuery } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";
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
  tenant: string;
  names: Readonly<Record<string, string>>;
  open: (id: string) => void;
}

const columnsOf = ({ tenant, names, open }: ColumnOptions): Column<Listed>[] => [
  {
    title: "Came",
    show: ({ requestId, createdAt }) =>
      may("approve") ? (
        <button type="button" class="link" aria-haspopup="dialog" onClick={() => open(requestId)}>
          <Time at={createdAt} />
        </button>
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
      <a href={tenantPath(tenant, `/requests/${encodeURIComponent(requestId)}`)}>
        <code>{requestId.slice(-6)}</code>
      </a>
    ),
    text: ({ requestId }) => requestId,
  },
];

interface DrawerProps {
  tenant: string;
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

function ApprovalDrawer({ tenant, id, onDone, onConflict, onClose }: DrawerProps) {
  const loading = useLoaded(`approval ${id} of ${tenant}`, () =>
    asked(
      api.GET("/admin/v1/tenants/{tenant}/approvals/{id}", { params: { path: { tenant, id } } }),
    ),
  );
  return (
    <Dialog title="Approval" onClose={onClose} isDrawer>
      <There what="the call" loading={loading}>
        {(held) => (
          <div class="stack">
            <Held held={held} />
            {held.state === "waiting" ? (
              <Decide
                key={held.contentHash}
                {...{ tenant, held, onDone }}
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

function useHeldCalls(
  tenant: string,
  { state, cursor }: { state: State | ""; cursor: string | null },
) {
  const loading = useLoaded(`approvals of ${tenant} ${state} ${cursor ?? ""}`, () =>
    asked(
      api.GET("/admin/v1/tenants/{tenant}/approvals", {
        params: {
          path: { tenant },
          query: { ...(state !== "" && { state }), ...(cursor !== null && { cursor }) },
        },
      }),
    ),
  );
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

const NoApprovals = ({ tenant }: { tenant: string }) => (
  <>
    <p>No pending approvals.</p>
    <a class="button" href={tenantPath(tenant, "/policy#approval")}>
      Set which calls need approval
    </a>
  </>
);

export function Approvals({ params: { tenant } }: { params: { tenant: string } }) {
  const inAddress = useQuery();
  const [query, change] = inAddress;
  const { shown, open, close } = useOpened(inAddress);
  const state = states.find(([each]) => each === query["state"])?.[0] ?? "";
  const cursor = query["cursor"] ?? null;
  const loading = useHeldCalls(tenant, { state, cursor });
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
            columns={columnsOf({ tenant, names, open })}
            rows={data}
            keyOf={({ requestId, stage }) => `${requestId} ${stage}`}
            current={null}
            {...(may("approve") && { open: ({ requestId }: Listed) => open(requestId) })}
            empty={<NoApprovals tenant={tenant} />}
            foot={
              <Steps {...{ cursor, next: nextCursor }} go={(to) => change({ cursor: to ?? "" })} />
            }
          />
        )}
      </There>
      <Webhooks tenant={tenant} />
      {!may("approve") && (
        <NotForRole what="can’t read or decide pending approvals" permission="approve" />
      )}
      {shown !== undefined && may("approve") && (
        <ApprovalDrawer
          {...{ tenant, id: shown }}
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
