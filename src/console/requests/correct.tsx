import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { Button } from "../parts/card.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Fields } from "../parts/fields.tsx";
import { Form, useDraft } from "../parts/form.tsx";
import type { RequestRecord } from "./record.ts";

const outcomes = ["succeeded", "failed", "cancelled"] as const;
const nothing: Readonly<
  Record<"inputTokens" | "outputTokens" | "costUsd" | "reason", string> & {
    outcome: (typeof outcomes)[number];
  }
> = { outcome: "failed", inputTokens: "", outputTokens: "", costUsd: "", reason: "" };
const figure = { type: "number", min: 0, step: "any", isRequired: true } as const;

export function Correct({ record, onDone }: { record: RequestRecord; onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const { draft, change } = useDraft(nothing);
  const isUnknown = record.outcome === "unknown";
  if (!isUnknown && record.usage?.implausible !== true) return null;
  const close = (): void => setOpen(false);
  const correct = async () => {
    const made = await api.POST("/admin/v1/tenants/{tenant}/requests/{id}/correct", {
      id: record.id,
      body: {
        ...draft,
        inputTokens: Number(draft.inputTokens),
        outputTokens: Number(draft.outputTokens),
        costUsd: Number(draft.costUsd),
      },
    });
    if (made.ok) onDone();
    return made;
  };
  return (
    <>
      <p class="notice warn">
        {isUnknown ? "The outcome is unknown" : "The provider reported implausible usage"}, so the
        reservation is charged. <Button onClick={() => setOpen(true)}>Correct record</Button>
      </p>
      {isOpen && (
        <Dialog title="Correct record" onClose={close}>
          <p>Look it up at the provider. A record can be corrected once.</p>
          <Form submit="Save correction" act={correct} onCancel={close}>
            <Fields
              {...{ draft, change }}
              of={[
                {
                  name: "outcome",
                  title: "Outcome",
                  options: outcomes.map((each) => [each, each] as const),
                },
                { name: "inputTokens", title: "Tokens in", ...figure },
                { name: "outputTokens", title: "Tokens out", ...figure },
                { name: "costUsd", title: "Cost (USD)", ...figure },
                { name: "reason", title: "Source", isRequired: true },
              ]}
            />
          </Form>
        </Dialog>
      )}
    </>
  );
}
