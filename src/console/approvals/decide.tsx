import { Button } from "../parts/card.tsx";
import { useState } from "preact/hooks";
import { isStopped } from "../../domain/choice/switches.ts";
import { isAllowed } from "../../domain/models/allowed.ts";
import { api, type Schemas } from "../api.ts";
import { useRead } from "../load.ts";
import { Choice, Field, TextArea } from "../parts/form.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import type { Problem } from "../problem.ts";
import { draftOf, editsOf, rowsFor, withText, type Draft } from "./edits.ts";

interface EditProps {
  draft: Draft;
  change: (draft: Draft) => void;
}

function Prompt({ draft, change }: EditProps) {
  const { messages, systemPrompt } = draft;
  if (messages === null)
    return <p class="faint">Part of the prompt belongs to a tool loop, so it can’t be edited.</p>;
  return (
    <>
      <TextArea
        title="System prompt"
        name="systemPrompt"
        rows={rowsFor(systemPrompt)}
        value={systemPrompt}
        onInput={(text) => change({ ...draft, systemPrompt: text })}
      />
      {messages.map(({ role, content }, at) =>
        content.map((each, block) =>
          each.type === "text" ? (
            <TextArea
              key={`${at} ${block}`}
              title={`Message ${at + 1}, ${role}`}
              name={`messages.${at}.content.${block}`}
              rows={rowsFor(each.text)}
              value={each.text}
              onInput={(text) => change(withText(draft, { at, block, text }))}
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

function Result({ draft, change }: EditProps) {
  const { text } = draft;
  if (text === null)
    return <p class="faint">The result has several parts, so it can only be approved or denied.</p>;
  return (
    <TextArea
      title="Result"
      name="text"
      rows={rowsFor(text)}
      value={text}
      onInput={(edited) => change({ ...draft, text: edited })}
      hint="The caller receives this text."
    />
  );
}

function useAllowed(models: readonly string[], chosen: string): string[] {
  const { loaded } = useRead("/admin/v1/tenants/{tenant}/policy");
  const policy = loaded.state === "there" ? loaded.value : {};
  return models.filter((each) => {
    const [provider = "", ...id] = each.split("/");
    const model = { provider, id: id.join("/") };
    return each === chosen || (!isStopped(model, policy.stopped ?? {}) && isAllowed(model, policy));
  });
}

interface ModelProps extends EditProps {
  models: readonly string[];
}

function Model({ draft, change, models: all }: ModelProps) {
  const models = useAllowed(all, all[0] ?? "");
  if (models.length < 2) return null;
  return (
    <Choice
      title="Model"
      name="model"
      value={draft.model}
      options={models.map((each) => [each, each] as const)}
      onInput={(model) => change({ ...draft, model })}
      hint="Changing the model changes the reservation."
    />
  );
}

interface DecideProps {
  held: Schemas["Approval"];
  onDone: (decision: Decision) => void;
  onConflict: () => void;
}

export type Decision = "approve" | "deny";

const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

export function Decide({ held, onDone, onConflict }: DecideProps) {
  const { content, contentHash, stage, requestId } = held;
  const [before] = useState(() => draftOf(stage, content));
  const [draft, change] = useState(before);
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const edited = editsOf(before, draft);
  const decide = async (decision: Decision): Promise<void> => {
    setBusy(true);
    const done = await api.POST("/admin/v1/tenants/{tenant}/approvals/{id}", {
      id: requestId,
      body: {
        decision,
        contentHash,
        ...(reason !== "" && { reason }),
        ...(decision === "approve" && edited !== null && { edited }),
      },
    });
    setBusy(false);
    if (done.ok) return onDone(decision);
    setProblem(done.problem);
    if (done.problem.status === 409) onConflict();
  };
  const models = [...new Set([before.model, ...namesOf(content?.["alternatives"])])];
  return (
    <section class="card stack" aria-label="Decision">
      {stage === "request" ? (
        <>
          <Prompt draft={draft} change={change} />
          <Model {...{ draft, change, models }} />
        </>
      ) : (
        <>
          <p class="notice warn">The provider has been paid, so a denial is also charged.</p>
          <Result draft={draft} change={change} />
        </>
      )}
      <Field title="Reason" name="reason" value={reason} onInput={setReason} />
      {problem !== null && <ProblemNotice problem={problem} />}
      <div class="buttons">
        <Button class="danger" disabled={isBusy} onClick={() => void decide("deny")}>
          {stage === "result" ? "Deny and charge" : "Deny"}
        </Button>
        <Button class="main" disabled={isBusy} onClick={() => void decide("approve")}>
          {edited === null ? "Approve" : "Approve as edited"}
        </Button>
      </div>
    </section>
  );
}
