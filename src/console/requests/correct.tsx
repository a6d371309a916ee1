import { Button } from "../parts/card.tsx";
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { Form, useDraft } from "../parts/form.tsx";
import type { RequestRecord } from "./record.ts";

const outcomes = [
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["cancelled", "cancelled"],
] as const;

interface CorrectProps {
  record: RequestRecord;
  onDone: () => void;
}

const doubtOf = ({ outcome, usage }: RequestRecord): string | null => {
  if (outcome === "unknown") return "The outcome is unknown, so the reservation is charged.";
  return usage?.implausible === true
    ? "The provider reported implausible usage, so the reservation is charged."
    : null;
};

interface Found {
  outcome: (typeof outcomes)[number][0];
  inputTokens: string;
  outputTokens: string;
  costUsd: string;
  reason: string;
}
const nothing: Found = {
  outcome: "failed",
  inputTokens: "",
  outputTokens: "",
  costUsd: "",
  reason: "",
};
const figure = { type: "number", min: 0, step: "any", isRequired: true } as const;
const fields: readonly FieldOf<Found>[] = [
  { name: "outcome", title: "It", options: outcomes },
  { name: "inputTokens", title: "Tokens in", ...figure },
  { name: "outputTokens", title: "Tokens out", ...figure },
  { name: "costUsd", title: "Cost (USD)", ...figure },
  { name: "reason", title: "Source", isRequired: true },
];

function Correction({ record, onDone, onClose }: CorrectProps & { onClose: () => void }) {
  const { id } = record;
  const { draft: found, change } = useDraft(nothing);
  const correct = async () => {
    const { outcome, reason } = found;
    const made = await api.POST("/admin/v1/tenants/{tenant}/requests/{id}/correct", {
      id,
      body: {
        outcome,
        inputTokens: Number(found.inputTokens),
        outputTokens: Number(found.outputTokens),
        costUsd: Number(found.costUsd),
        reason,
      },
    });
    if (made.ok) onDone();
    return made;
  };
  return (
    <Dialog title="Correct record" onClose={onClose}>
      <p>Look it up at the provider. A record can be corrected once.</p>
      <Form submit="Save correction" act={correct} onCancel={onClose}>
        <Fields of={fields} draft={found} change={change} />
      </Form>
    </Dialog>
  );
}

export function Correct(props: CorrectProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const doubt = doubtOf(props.record);
  if (doubt === null) return null;
  return (
    <>
      <p class="notice warn">
        {doubt} <Button onClick={() => setOpen(true)}>Correct record</Button>
      </p>
      {isOpen && (
        <Correction
          {...props}
          onClose={close}
          onDone={() => {
            close();
            props.onDone();
          }}
        />
      )}
    </>
  );
}
