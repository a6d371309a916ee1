import { Button } from "../parts/card.tsx";
import { useEffect, useState } from "preact/hooks";
import { mergePatch } from "../../domain/merge-patch.ts";
import { api, type Schemas } from "../api.ts";
import { useLoaded } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Form } from "../parts/form.tsx";
import { JsonEdit } from "../parts/json-edit.tsx";
import { LimitFields } from "../parts/limits.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { NotForRole } from "../parts/role.tsx";
import { useUnsaved } from "../parts/unsaved.tsx";
import { changedMembers, changeText, type MemberChange } from "../policy-changes.ts";
import { ownPath, prefix } from "../place.ts";
import type { Asked } from "../problem.ts";
import { isOperator, mayChange } from "../session.ts";
import { ApprovalFields } from "./policy-approval.tsx";
import { Ceiling } from "./policy-ceiling.tsx";
import { PeopleFields } from "./policy-people.tsx";
import { RaiseFields, raiseProblem } from "./policy-raises.tsx";
import { draftOf, Lists, patchOf, Rest, type Draft } from "./policy-rest.tsx";
import { PolicyTrial } from "./policy-trial.tsx";

type Policy = Schemas["Policy"];

interface EditProps {
  policy: Policy;
  tag: string | null;
  draft: Policy | null;
  onDraft: (draft: Policy | null) => void;
  onDone: (saved: Policy) => void;
  reload: () => unknown;
}

function PolicyForm({ policy, tag, onDraft, onDone, reload }: EditProps) {
  const [draft, setDraft] = useState(draftOf(policy));
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes });
  const patch = patchOf(draft, policy);
  const changed = JSON.stringify(patch);
  const [unchanged] = useState(changed);
  const isUnsaved = changed !== unchanged;
  const question = useUnsaved(isUnsaved);
  useEffect(() => onDraft(isUnsaved ? mergePatch(policy, patch) : null), [changed]);
  const save = async (): Promise<Asked<unknown>> => {
    const problem = raiseProblem(draft.raises);
    if (problem !== null) return { ok: false, problem };
    const saved = await api.PATCH("/admin/v1/tenants/{tenant}/policy", {
      ifMatch: tag,
      body: patch,
    });
    if (saved.ok) onDone(saved.value);
    return saved;
  };
  const { limits, people, raises, approval } = draft;
  return (
    <div class="stack">
      <Form submit="Save changes" act={save} reload={reload}>
        <LimitFields texts={limits} onInput={(texts) => change({ limits: texts })} />
        <PeopleFields draft={people} change={(next) => change({ people: next })} />
        <RaiseFields draft={raises} change={(next) => change({ raises: next })} />
        <Lists {...{ draft, change }} />
        <ApprovalFields draft={approval} change={(next) => change({ approval: next })} />
        <Rest {...{ draft, change }} />
        <PolicyTrial policyOf={() => mergePatch(policy, patch)} />
      </Form>
      {question}
    </div>
  );
}

function PolicyJson({ policy, tag, draft, onDraft, onDone }: EditProps) {
  const [begun] = useState(draft);
  const put = async (value: object) => {
    const changed = await api.PUT("/admin/v1/tenants/{tenant}/policy", {
      ifMatch: tag,
      body: value,
    });
    if (changed.ok) onDone(changed.value);
    return changed;
  };
  return (
    <JsonEdit
      value={policy}
      {...(begun !== null && { draft: begun })}
      onUnsaved={(isUnsaved) => onDraft(isUnsaved ? policy : null)}
      submit="Replace policy"
      put={put}
      hint="The whole policy. Omitted members return to their defaults."
      beside={(policyOf) => <PolicyTrial policyOf={policyOf} />}
    />
  );
}

interface ActionsProps {
  isJson: boolean;
  setJson: (isJson: boolean) => void;
  /** The JSON editor has unsaved changes, which switching to the form would lose. */
  isJsonUnsaved: boolean;
}

const Actions = ({ isJson, setJson, isJsonUnsaved }: ActionsProps) => (
  <>
    <a class="button quiet" href={`${ownPath("/events")}?action=policy.`}>
      Policy history
    </a>
    {mayChange.value && (
      <Button
        class="quiet"
        aria-pressed={isJson}
        disabled={isJsonUnsaved}
        onClick={() => setJson(!isJson)}
      >
        {isJsonUnsaved
          ? "Save or undo changes to show the form"
          : isJson
            ? "Show the form"
            : "Show as JSON"}
      </Button>
    )}
  </>
);

interface Saved {
  at: string;
  changes: MemberChange[];
}

const SavedNotice = ({ at, changes }: Saved) => (
  <div class="notice good" role="status">
    <strong>Saved at {at}.</strong>
    <ul class="plain">
      {changes.map((change) => (
        <li key={change.member}>{changeText(change)}</li>
      ))}
    </ul>
  </div>
);

export function PolicyPage() {
  const [isJson, setJson] = useState(false);
  const [draft, setDraft] = useState<Policy | null>(null);
  const [saved, setSaved] = useState<Saved | null>(null);
  const loading = useLoaded(`policy ${saved?.at ?? ""}`, () =>
    api.GET("/admin/v1/tenants/{tenant}/policy"),
  );
  const doneFrom = (before: Policy) => (after: Policy) => {
    setDraft(null);
    setSaved({ at: new Date().toLocaleTimeString(), changes: changedMembers(before, after) });
  };
  const Edit = isJson ? PolicyJson : PolicyForm;
  return (
    <Page
      title="Policy"
      lead="What this tenant may spend and which models it may use. Changes take effect with the next request."
      actions={<Actions {...{ isJson, setJson }} isJsonUnsaved={isJson && draft !== null} />}
    >
      <div class="stack">
        {saved !== null && <SavedNotice {...saved} />}
        <section class="card">
          <There what="the policy" loading={loading}>
            {(policy, { tag }) =>
              mayChange.value ? (
                <Edit
                  key={`${tag} ${isJson}`}
                  {...{ policy, tag, draft }}
                  onDraft={setDraft}
                  onDone={doneFrom(policy)}
                  reload={loading.again}
                />
              ) : (
                <>
                  <NotForRole what="can’t change the policy" permission="change" />
                  <CodeBlock title="Policy" text={JSON.stringify(policy, null, 2)} />
                </>
              )
            }
          </There>
        </section>
        {isOperator.value && <Ceiling />}
        <p class="lead">
          For all members of a policy, see the{" "}
          <a href={`${prefix}/admin/v1/docs`} target="_blank" rel="noreferrer">
            API reference
          </a>
          .
        </p>
      </div>
    </Page>
  );
}
