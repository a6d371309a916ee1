import { useEffect, useState } from "preact/hooks";
import { isStopped } from "../../domain/choice/switches.ts";
import { isAllowed } from "../../domain/models/allowed.ts";
import { api, type Schemas } from "../api.ts";
import { fromNow, none, time, usd } from "../format.ts";
import { useRead } from "../load.ts";
import { given } from "../members.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Field, Fields, Form, useDraft, type Editing } from "../parts/form.tsx";
import { Button, Facts, There } from "../parts/page.tsx";
import { tenantChanges, tenantNow } from "../parts/stopped.tsx";
import { ownPath } from "../place.ts";
import { ok, type Asked } from "../problem.ts";
import { draftOf, editsOf, withText, type Draft, type Shown } from "./edits.ts";
import { badgeOf, conditionsText, deciderOf } from "./texts.ts";

const words = { approve: "Approved", deny: "Denied" } as const;

function HeldCall({ held }: { held: Schemas["Approval"] }) {
  const { keyId, conditions, deadline, onTimeout, stage, state, names, requestId } = held;
  const shown = held.content as Shown | null;
  const { who, server, model, estimate, reservedUsd, costUsd, call, content } = shown ?? {};
  const person = names[who?.user ?? ""];
  const isResult = stage === "result";
  const cost = isResult ? costUsd : reservedUsd;
  const expected = !isResult && `, expected: ${usd(estimate?.costUsd)}`;
  const figures = [<strong>{usd(cost)}</strong>, expected];
  return (
    <>
      <Facts
        of={[
          ["Model", model ?? none],
          [isResult ? "Cost, paid" : "Model’s highest cost", figures],
          ["Why it needs approval", conditionsText({ conditions, maxCostUsd: reservedUsd })],
          person !== undefined && ["Person", person],
          ["Asked by key", [names[keyId] ?? "", " ", <code class="faint">{keyId}</code>]],
          ["Server", server ?? "none (direct call)"],
          !!who?.tool && ["Tool", who.tool],
          !!who?.clientName && ["Client", `${who.clientName} ${who.clientVersion ?? ""}`],
          state === "waiting" && ["If undecided", `${words[onTimeout]} ${fromNow(deadline)}`],
          ["Request", <a href={ownPath(`/requests/${requestId}`)}>{requestId}</a>],
        ]}
      />
      {shown === null ? (
        <p class="faint">The request is no longer stored.</p>
      ) : (
        <details>
          <summary>{isResult ? "Full result" : "Full request"}</summary>
          <CodeBlock title="As JSON" text={JSON.stringify(call ?? content, null, 2)} />
        </details>
      )}
    </>
  );
}

export type Held = Pick<Schemas["ListedApproval"], "requestId" | "contentHash" | "stage">;
/** what was decided, and what happens now */
export type Decided = { requestId: string; text: string };

const outcomes = {
  "approve request": "The call runs as soon as its caller is connected.",
  "approve result": "The caller receives the result.",
  "deny request": "The caller receives an error, and nothing is charged.",
  "deny result": "The provider has been paid, so a denial is also charged.",
} as const;
const reasonField = {
  name: "reason",
  title: "Reason",
  hint: "For the audit log. The caller doesn’t see it.",
} as const;
const denialFields = [
  { name: "explanation", title: "Explanation for the caller", hint: "Sent with the error." },
  reasonField,
] as const;

async function decide(
  { requestId, contentHash, stage }: Held,
  { decision, ...texts }: Omit<Schemas["ApprovalDecision"], "contentHash">,
): Promise<Asked<Decided>> {
  const body = { decision, contentHash, ...given(texts) };
  const path = "/admin/v1/tenants/{tenant}/approvals/{id}";
  const done = await api.POST(path, { id: requestId, body });
  tenantChanges.value += 1;
  const text = `${words[decision]}. ${outcomes[`${decision} ${stage}`]}`;
  return done.ok ? ok({ requestId, text }) : done;
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

interface DecideProps {
  held: Schemas["Approval"];
  deny: (call: Held) => void;
  onDone: (decided: Decided) => void;
  onConflict: () => Promise<void>;
}

function Decide({ held, deny, onDone, onConflict }: DecideProps) {
  const isRequest = held.stage === "request";
  const shown = (held.content ?? {}) as Shown;
  const [before] = useState(() => draftOf(shown));
  const its = useDraft(before);
  const reason = useDraft({ reason: "" });
  const edited = editsOf(before, its.draft);
  // The models offered depend on the policy as of now.
  useEffect(() => void (tenantChanges.value += 1), []);
  const approve = async () => {
    const edits = edited && { edited };
    const done = await decide(held, { decision: "approve", ...reason.draft, ...edits });
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
      {isRequest ? <Prompt {...its} /> : <p class="notice warn">{outcomes["deny result"]}</p>}
      {isRequest ? (
        <Model {...its} all={[before.model, ...(shown.alternatives ?? []).toSorted()]} />
      ) : before.text === null ? (
        <p class="faint">The result has several parts, so it can only be approved or denied.</p>
      ) : (
        <Fields
          of={[{ name: "text", title: "Result", rows: 6, hint: "The caller receives this text." }]}
          {...its}
        />
      )}
      <Fields of={[reasonField]} {...reason} />
    </Form>
  );
}

function endOf(held: Schemas["Approval"]): string {
  const { isOwn, comment, names, decidedAt, edited } = held;
  const by = deciderOf(held, names);
  const own = isOwn ? ", who made the call" : "";
  const decided = by && `Decided by ${by}${own}${decidedAt ? `, ${time(decidedAt)}` : ""}.`;
  const told = edited?.explanation && `Explanation for the caller: ${edited.explanation}`;
  const state = `This call is no longer pending: ${badgeOf(held).word}.`;
  return [state, decided, comment, told].filter(Boolean).join(" ");
}

type ApprovalProps = Omit<DecideProps, "held" | "onConflict"> & { id: string };

export function Approval({ id, ...its }: ApprovalProps) {
  const loading = useRead("/admin/v1/tenants/{tenant}/approvals/{id}", { id });
  return (
    <There what="the call" loading={loading}>
      {(held) => (
        <div class="stack">
          <HeldCall held={held} />
          {held.state === "waiting" ? (
            <Decide key={held.contentHash} {...{ ...its, held }} onConflict={loading.again} />
          ) : (
            <p class="notice" role="status">
              {endOf(held)}
            </p>
          )}
        </div>
      )}
    </There>
  );
}

type DenyProps = Pick<DecideProps, "onDone"> & { call: Held; onClose: () => void };

export function Deny({ call, onDone, onClose }: DenyProps) {
  const its = useDraft({ explanation: "", reason: "" });
  const title = call.stage === "request" ? "Deny call" : "Deny and charge";
  const act = () => decide(call, { decision: "deny", ...its.draft });
  return (
    <Confirm {...{ title, act, onDone, onClose }}>
      <p>{outcomes[`deny ${call.stage}`]}</p>
      <Fields of={denialFields} {...its} />
    </Confirm>
  );
}
