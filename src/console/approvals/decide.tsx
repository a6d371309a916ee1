import { useEffect, useState } from "preact/hooks";
import { isStopped } from "../../domain/choice/switches.ts";
import { isAllowed } from "../../domain/models/allowed.ts";
import { api, type Schemas } from "../api.ts";
import { Confirm } from "../parts/dialog.tsx";
import { Field, Fields, Form, useDraft, type Editing } from "../parts/form.tsx";
import { Button } from "../parts/page.tsx";
import { tenantChanges, tenantNow } from "../parts/stopped.tsx";
import { ok, type Asked } from "../problem.ts";
import { draftOf, editsOf, withText, type Draft, type Shown } from "./edits.ts";

export type Held = Pick<Schemas["ListedApproval"], "requestId" | "contentHash" | "stage">;
/** what was decided, and what happens now */
export type Decided = { requestId: string; text: string };

const outcomes = {
  "approve request": "Approved. The call runs as soon as its caller is connected.",
  "approve result": "Approved. The caller receives the result.",
  "deny request": "Denied. The caller receives an error, and nothing is charged.",
  "deny result": "Denied. The caller receives an error, and the call is charged.",
} as const;
const paid = "The provider has been paid, so a denial is also charged.";

async function decide(
  { requestId, contentHash, stage }: Held,
  { reason, ...input }: Omit<Schemas["ApprovalDecision"], "contentHash">,
): Promise<Asked<Decided>> {
  const body = { ...input, contentHash, ...(reason && { reason }) };
  const path = "/admin/v1/tenants/{tenant}/approvals/{id}";
  const done = await api.POST(path, { id: requestId, body });
  tenantChanges.value += 1;
  return done.ok ? ok({ requestId, text: outcomes[`${input.decision} ${stage}`] }) : done;
}

function Prompt(its: Editing<Draft>) {
  const { messages } = its.draft;
  if (messages === null)
    return <p class="faint">Part of the prompt belongs to a tool loop, so it can’t be edited.</p>;
  return (
    <>
      <Fields of={[{ name: "systemPrompt", title: "System prompt", rows: 2 }]} {...its} />
      {messages.map(({ role, content }, at) =>
        content.map((each, block) =>
          each.type === "text" ? (
            <Field
              key={`${at} ${block}`}
              title={`Message ${at + 1}, ${role}`}
              name={`messages.${at}.content.${block}`}
              rows={6}
              value={each.text}
              onInput={(text) => its.change(withText(its.draft, { at, block, text }))}
            />
          ) : (
            <p key={`${at} ${block}`} class="faint">
              Message {at + 1}, {role}: {each.type}, {each.mimeType}. It can’t be edited.
            </p>
          ),
        ),
      )}
    </>
  );
}

const Result = (its: Editing<Draft>) => {
  if (its.draft.text === null)
    return <p class="faint">The result has several parts, so it can only be approved or denied.</p>;
  const hint = "The caller receives this text.";
  return <Fields of={[{ name: "text", title: "Result", rows: 6, hint }]} {...its} />;
};

/** Offers no model that would be refused by now. */
function Model({ all, ...its }: Editing<Draft> & { all: readonly string[] }) {
  const policy = tenantNow.value?.policy ?? {};
  const models = all.filter((each, at) => {
    const [provider = "", ...id] = each.split("/");
    const model = { provider, id: id.join("/") };
    return at === 0 || (!isStopped(model, policy.stopped ?? {}) && isAllowed(model, policy));
  });
  const hint = "Changing the model changes the reservation.";
  const options = models.map((each) => [each, each] as const);
  if (models.length < 2) return null;
  return <Fields of={[{ name: "model", title: "Model", options, hint }]} {...its} />;
}

export interface DecideProps {
  held: Schemas["Approval"];
  deny: (call: Held) => void;
  onDone: (decided: Decided) => void;
  onConflict: () => Promise<void>;
}

export function Decide({ held, deny, onDone, onConflict }: DecideProps) {
  const isRequest = held.stage === "request";
  const shown = (held.content ?? {}) as Shown;
  const [before] = useState(() => draftOf(shown));
  const its = useDraft(before);
  const [reason, setReason] = useState("");
  const edited = editsOf(before, its.draft);
  // The models offered depend on the policy as of now.
  useEffect(() => void (tenantChanges.value += 1), []);
  const approve = async () => {
    const edits = edited === null ? {} : { edited };
    const done = await decide(held, { decision: "approve", reason, ...edits });
    if (!done.ok && done.problem.status === 409) await onConflict();
    return done;
  };
  return (
    <Form
      submit={edited === null ? "Approve" : "Approve as edited"}
      act={approve}
      onDone={onDone}
      beside={
        <Button class="danger" onClick={() => deny(held)}>
          {isRequest ? "Deny" : "Deny and charge"}
        </Button>
      }
    >
      {isRequest ? <Prompt {...its} /> : <p class="notice warn">{paid}</p>}
      {isRequest ? (
        <Model {...its} all={[before.model, ...(shown.alternatives ?? [])]} />
      ) : (
        <Result {...its} />
      )}
      <Field title="Reason" name="reason" value={reason} onInput={setReason} />
    </Form>
  );
}

type DenyProps = Pick<DecideProps, "onDone"> & { call: Held; onClose: () => void };

export function Deny({ call, onDone, onClose }: DenyProps) {
  const [reason, setReason] = useState("");
  const isRequest = call.stage === "request";
  return (
    <Confirm
      title={isRequest ? "Deny call" : "Deny and charge"}
      act={() => decide(call, { decision: "deny", reason })}
      {...{ onDone, onClose }}
    >
      <p>{isRequest ? "The caller receives an error, and nothing is charged." : paid}</p>
      <Field
        {...{ title: "Reason", name: "reason", value: reason, onInput: setReason }}
        hint="For the audit log. The caller doesn’t see it."
      />
    </Confirm>
  );
}
