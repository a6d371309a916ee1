/** Calls that wait for a person: what they ask, what they may cost, and the decision. */
import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { fromNow, usd } from "../format.ts";
import { useLoaded, useRepeated } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field } from "../parts/form.tsx";
import { Badge, ProblemNotice, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Steps, useQuery } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";
import type { Problem } from "../problem.ts";

type Listed = Schemas["ListedApproval"];
type State = Listed["state"];

const refreshMs = 3_000;
const states: readonly (readonly [State | "", string])[] = [
  ["", "every state"],
  ["waiting", "waiting"],
  ["approved", "approved"],
  ["begun", "begun"],
  ["denied", "denied"],
  ["expired", "expired"],
];

const columnsOf = (tenant: string, open: (id: string) => void): Column<Listed>[] => [
  {
    title: "Came",
    show: ({ requestId, createdAt }) => (
      <button type="button" class="link" aria-haspopup="dialog" onClick={() => open(requestId)}>
        <Time at={createdAt} />
      </button>
    ),
    text: ({ createdAt }) => isoOf(createdAt),
  },
  {
    title: "State",
    show: ({ state }) => <Badge word={state} {...(state === "waiting" && { tone: "warn" })} />,
    text: ({ state }) => state,
  },
  { title: "Stage", show: ({ stage }) => stage, text: ({ stage }) => stage },
  {
    title: "Why it is held",
    show: ({ why }) => why.join(", ") || "the rule is for every call",
    text: ({ why }) => why.join(" "),
  },
  {
    title: "Until",
    show: ({ deadline }) => fromNow(deadline),
    text: ({ deadline }) => isoOf(deadline),
  },
  {
    title: "Decided by",
    show: ({ decidedBy }) => decidedBy ?? "–",
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

interface DecideProps {
  tenant: string;
  held: Schemas["Approval"];
  onDone: () => void;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

function Decide({ tenant, held, onDone }: DecideProps) {
  const { content, shown } = held;
  const chosen = textOf(content?.["model"]);
  const [reason, setReason] = useState("");
  const [model, setModel] = useState(chosen);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const decide = async (decision: "approve" | "deny"): Promise<void> => {
    setBusy(true);
    const isEdited = decision === "approve" && model !== chosen;
    const done = await asked(
      api.POST("/admin/v1/tenants/{tenant}/approvals/{id}", {
        params: { path: { tenant, id: held.requestId } },
        body: {
          decision,
          shown,
          ...(reason !== "" && { reason }),
          ...(isEdited && { edited: { model } }),
        },
      }),
    );
    setBusy(false);
    if (done.ok) onDone();
    else setProblem(done.problem);
  };
  const models = [...new Set([chosen, ...namesOf(content?.["alternatives"])])];
  return (
    <section class="card stack" aria-label="Decision">
      {models.length > 1 && (
        <Choice
          title="Model"
          name="model"
          value={model}
          options={models.map((each) => [each, each] as const)}
          onInput={setModel}
          hint="Another one is reserved anew."
        />
      )}
      <Field title="Reason" name="reason" value={reason} onInput={setReason} />
      {problem !== null && <ProblemNotice problem={problem} />}
      <div class="buttons">
        <button type="button" class="danger" disabled={isBusy} onClick={() => void decide("deny")}>
          Deny
        </button>
        <button type="button" class="main" disabled={isBusy} onClick={() => void decide("approve")}>
          Approve
        </button>
      </div>
    </section>
  );
}

function Held({ held }: { held: Schemas["Approval"] }) {
  const { content, keyId, why, deadline, onTimeout } = held;
  const reserved = content?.["reservedUsd"];
  return (
    <>
      <dl class="facts">
        <dt>Asked by</dt>
        <dd>
          <code>{keyId}</code>
        </dd>
        <dt>Held because</dt>
        <dd>{why.join(", ") || "the rule is for every call"}</dd>
        <dt>Model</dt>
        <dd>{textOf(content?.["model"]) || "–"}</dd>
        <dt>Costs at most</dt>
        <dd>{usd(typeof reserved === "number" ? reserved : null)}</dd>
        <dt>Without a decision</dt>
        <dd>
          {onTimeout === "deny" ? "denied" : "approved"} {fromNow(deadline)}
        </dd>
      </dl>
      {content === null ? (
        <p class="faint">What was asked is kept no longer.</p>
      ) : (
        <CodeBlock
          title="What is asked"
          text={JSON.stringify(content["call"] ?? content, null, 2)}
        />
      )}
    </>
  );
}

interface DrawerProps {
  tenant: string;
  id: string;
  onDone: () => void;
  onClose: () => void;
}

function ApprovalDrawer({ tenant, id, onDone, onClose }: DrawerProps) {
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
            {held.state === "waiting" && <Decide {...{ tenant, held, onDone }} />}
          </div>
        )}
      </There>
    </Dialog>
  );
}

export function Approvals({ params: { tenant } }: { params: { tenant: string } }) {
  const [query, change] = useQuery();
  const state = states.find(([each]) => each === query["state"])?.[0] ?? "";
  const cursor = query["cursor"] ?? null;
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
  const shown = query["open"];
  const close = (): void => change({ open: "" });
  return (
    <Page
      title="Approvals"
      lead="Calls that the policy holds until a person decides. The key that asks can’t approve its own."
    >
      <div class="filters">
        <Choice
          title="State"
          name="state"
          value={state}
          options={states}
          onInput={(value) => change({ state: value, cursor: "" })}
        />
      </div>
      <There what="held calls" loading={loading}>
        {({ data, nextCursor }) => (
          <Table
            name="Approvals"
            columns={columnsOf(tenant, (open) => change({ open }))}
            rows={data}
            keyOf={({ requestId, stage }) => `${requestId} ${stage}`}
            current={null}
            empty="No call is held. The policy’s member “approval” says which calls wait for a person."
            foot={
              <Steps {...{ cursor, next: nextCursor }} go={(to) => change({ cursor: to ?? "" })} />
            }
          />
        )}
      </There>
      {shown !== undefined && (
        <ApprovalDrawer
          {...{ tenant, id: shown }}
          onClose={close}
          onDone={() => {
            close();
            void loading.again();
          }}
        />
      )}
    </Page>
  );
}
