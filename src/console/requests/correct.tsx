/** Says what became of a call of unknown outcome. Budgets and usage follow. */
import { useState } from "preact/hooks";
import { api, asked } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field, Form } from "../parts/form.tsx";

const outcomes = [
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["cancelled", "cancelled"],
] as const;

interface CorrectProps {
  tenant: string;
  id: string;
  onDone: () => void;
}

function Correction({ tenant, id, onDone, onClose }: CorrectProps & { onClose: () => void }) {
  const [outcome, setOutcome] = useState<(typeof outcomes)[number][0]>("failed");
  const [inputTokens, setInput] = useState("0");
  const [outputTokens, setOutput] = useState("0");
  const [costUsd, setCost] = useState("0");
  const [reason, setReason] = useState("");
  const correct = async () => {
    const made = await asked(
      api.POST("/admin/v1/tenants/{tenant}/requests/{id}/correct", {
        params: { path: { tenant, id } },
        body: {
          outcome,
          inputTokens: Number(inputTokens),
          outputTokens: Number(outputTokens),
          costUsd: Number(costUsd),
          reason,
        },
      }),
    );
    if (made.ok) onDone();
    return made;
  };
  return (
    <Dialog title="Say what became of it" onClose={onClose}>
      <p>Look it up at the provider. This can be said once.</p>
      <Form submit="Correct the record" act={correct} onCancel={onClose}>
        {(faultOf) => (
          <>
            <Choice
              title="It"
              name="outcome"
              value={outcome}
              options={outcomes}
              onInput={setOutcome}
            />
            <Field
              title="Tokens in"
              name="inputTokens"
              value={inputTokens}
              onInput={setInput}
              isRequired
              fault={faultOf("inputTokens")}
            />
            <Field
              title="Tokens out"
              name="outputTokens"
              value={outputTokens}
              onInput={setOutput}
              isRequired
              fault={faultOf("outputTokens")}
            />
            <Field
              title="USD that it cost"
              name="costUsd"
              value={costUsd}
              onInput={setCost}
              isRequired
              fault={faultOf("costUsd")}
            />
            <Field
              title="How you know"
              name="reason"
              value={reason}
              onInput={setReason}
              isRequired
              fault={faultOf("reason")}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

export function Correct(props: CorrectProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <p class="notice warn">
      Nobody knows how it ended, so its reservation is charged.{" "}
      <button type="button" onClick={() => setOpen(true)}>
        Say what became of it
      </button>
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
    </p>
  );
}
