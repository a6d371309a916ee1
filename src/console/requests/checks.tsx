import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { FormDialog } from "../parts/dialog.tsx";
import { Fields, useDraft, type FieldOf } from "../parts/form.tsx";
import { Button, ProblemNotice } from "../parts/page.tsx";
import { prefix, tenantHere } from "../place.ts";
import type { Problem } from "../problem.ts";
import { isOperator } from "../session.ts";
import type { Found, RequestRecord, WholeRecord } from "./record.ts";

export function RecordCheck(props: { button: string; check: () => Promise<Found | Problem> }) {
  const [found, setFound] = useState<Found | Problem | "checking" | null>(null);
  const run = async (): Promise<void> => {
    setFound("checking");
    setFound(await props.check());
  };
  return (
    <>
      <Button disabled={found === "checking"} onClick={() => void run()}>
        {found === "checking" ? "Checking…" : props.button}
      </Button>
      {found === null || found === "checking" ? null : "status" in found ? (
        <ProblemNotice problem={found} />
      ) : (
        <div class={`notice ${found.tone}`} role="status">
          <strong>{found.title}</strong>
          {found.says.map((each) => (
            <p key={each}>{each}</p>
          ))}
        </div>
      )}
    </>
  );
}

export async function verified(record: WholeRecord): Promise<Found> {
  // The import fails if a newer version has other files.
  const file = await import("./verify.ts").catch(() => null);
  if (file === null) return { tone: "warn", title: "Not verified", says: ["Reload the page."] };
  return file.verifyRecord({ tenant: tenantHere(), prefix, record });
}

export async function replayed({ id }: WholeRecord): Promise<Found | Problem> {
  const asked = await api.POST("/admin/v1/tenants/{tenant}/requests/{id}/replay", { id });
  if (!asked.ok) return asked.problem;
  const { same, differences: says } = asked.value;
  const title = `${same ? "The same" : "Another"} model would be selected today.`;
  return { tone: same ? "good" : "warn", title, says };
}

const outcomes = ["succeeded", "failed", "cancelled"];
const figure = { as: "number", min: 0, isRequired: true } as const;
const fields: readonly FieldOf<Schemas["Correction"]>[] = [
  { name: "outcome", title: "Outcome", options: outcomes.map((each) => [each, each]) },
  { name: "inputTokens", title: "Tokens in", ...figure },
  { name: "outputTokens", title: "Tokens out", ...figure },
  { name: "costUsd", title: "Cost (USD)", ...figure },
  { name: "reason", title: "Source", isRequired: true },
];

export function Correct({ record, onDone }: { record: RequestRecord; onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  // The form requires the others.
  const its = useDraft({ outcome: "failed" } as Schemas["Correction"]);
  const { id, outcome, usage, correction } = record;
  const isUnknown = outcome === "unknown";
  if (correction !== null || !isOperator.value) return null;
  if (!isUnknown && usage?.implausible !== true) return null;
  const path = "/admin/v1/tenants/{tenant}/requests/{id}/correct";
  const act = () => api.POST(path, { id, body: its.draft });
  const onClose = (): void => setOpen(false);
  return (
    <>
      <p class="notice warn">
        {isUnknown ? "The outcome is unknown" : "The provider reported implausible usage"}, so the
        reservation is charged. <Button onClick={() => setOpen(true)}>Correct record</Button>
      </p>
      {isOpen && (
        <FormDialog title="Correct record" submit="Save correction" {...{ act, onDone, onClose }}>
          <p>Look it up at the provider. A record can be corrected once.</p>
          <Fields of={fields} {...its} />
        </FormDialog>
      )}
    </>
  );
}
