import { useState } from "preact/hooks";
import { api, asked } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field, Form } from "../parts/form.tsx";
import type { RequestRecord } from "./record.ts";

const outcomes = [
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["cancelled", "cancelled"],
] as const;

interface CorrectProps {
  tenant: string;
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
const titles = [
  ["inputTokens", "Tokens in", "number"],
  ["outputTokens", "Tokens out", "number"],
  ["costUsd", "Cost (USD)", "number"],
  ["reason", "Source", "text"],
] as const;

interface FoundFieldsProps {
  found: Found;
  change: (found: Found) => void;
}

const FoundFields = ({ found, change }: FoundFieldsProps) => (
  <>
    <Choice
      title="It"
      name="outcome"
      value={found.outcome}
      options={outcomes}
      onInput={(outcome) => change({ ...found, outcome })}
    />
    {titles.map(([name, title, type]) => (
      <Field
        key={name}
        title={title}
        name={name}
        type={type}
        {...(type === "number" && { min: 0, step: "any" })}
        value={found[name]}
        onInput={(text) => change({ ...found, [name]: text })}
        isRequired
      />
    ))}
  </>
);

function Correction({ tenant, record, onDone, onClose }: CorrectProps & { onClose: () => void }) {
  const { id } = record;
  const [found, change] = useState(nothing);
  const correct = async () => {
    const { outcome, reason } = found;
    const made = await asked(
      api.POST("/admin/v1/tenants/{tenant}/requests/{id}/correct", {
        params: { path: { tenant, id } },
        body: {
          outcome,
          inputTokens: Number(found.inputTokens),
          outputTokens: Number(found.outputTokens),
          costUsd: Number(found.costUsd),
          reason,
        },
      }),
    );
    if (made.ok) onDone();
    return made;
  };
  return (
    <Dialog title="Correct record" onClose={onClose}>
      <p>Look it up at the provider. A record can be corrected once.</p>
      <Form submit="Save correction" act={correct} onCancel={onClose}>
        <FoundFields found={found} change={change} />
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
        {doubt}{" "}
        <button type="button" onClick={() => setOpen(true)}>
          Correct record
        </button>
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
