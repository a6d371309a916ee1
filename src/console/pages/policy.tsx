import { useEffect, useState } from "preact/hooks";
import { mergePatch } from "../../domain/merge-patch.ts";
import { api, type Schemas } from "../api.ts";
import { useLoaded } from "../load.ts";
import { useUnsaved } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";
import { JsonEdit } from "../parts/json-edit.tsx";
import { Button, NotForRole, Page, There } from "../parts/page.tsx";
import { Sections, type SectionsProps } from "../parts/sections.tsx";
import { ownPath, prefix } from "../place.ts";
import { changedMembers, changeText, membersText, memberTitle } from "../policy-changes.ts";
import type { Asked } from "../problem.ts";
import { isOperator, mayChange } from "../session.ts";
import { Ceiling } from "./policy-ceiling.tsx";
import { draftOf, patchOf, sectionsOf, type Draft } from "./policy-draft.tsx";
import { raiseProblem } from "./policy-raises.tsx";
import { Trial, useTrial } from "./policy-trial.tsx";

type Policy = Schemas["Policy"];

interface EditProps extends Pick<SectionsProps, "opened" | "setOpened"> {
  policy: Policy;
  tag: string | null;
  draft: Policy | null;
  onDraft: (draft: Policy | null) => void;
  onDone: (saved: Policy) => void;
  reload: () => unknown;
}

function PolicyForm({ policy, tag, onDraft, onDone, reload, ...opening }: EditProps) {
  const [draft, setDraft] = useState(draftOf(policy));
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes });
  const patch = patchOf(draft, policy);
  const changed = JSON.stringify(patch);
  const [unchanged] = useState(changed);
  const isUnsaved = changed !== unchanged;
  const question = useUnsaved(isUnsaved);
  const wanted = mergePatch(policy, patch) as Policy;
  useEffect(() => onDraft(isUnsaved ? wanted : null), [changed]);
  const trial = useTrial(() => wanted);
  const unsaved = isUnsaved ? changedMembers(policy, wanted) : [];
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
  const sections = sectionsOf({ draft, change }).map((each) => ({
    ...each,
    id: each.paths[0] ?? "",
    said: membersText(wanted, each.paths),
  }));
  return (
    <>
      <Form
        submit="Save changes"
        act={save}
        reload={reload}
        beside={
          <>
            {trial.button}
            <span class="faint">
              {unsaved.length > 0 &&
                `Not saved: ${unsaved.map(({ member }) => memberTitle(member)).join(", ")}`}
            </span>
          </>
        }
      >
        <Sections of={sections} {...opening} />
        {trial.found}
      </Form>
      {question}
    </>
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
    <section class="card stack">
      <JsonEdit
        value={policy}
        {...(begun !== null && { draft: begun })}
        onUnsaved={(isUnsaved) => onDraft(isUnsaved ? policy : null)}
        submit="Replace policy"
        put={put}
        hint="The whole policy. Omitted members return to their defaults."
        beside={(policyOf) => <Trial policyOf={policyOf} />}
      />
      <p class="faint">
        For all members of a policy, see the{" "}
        <a href={`${prefix}/admin/v1/docs`} target="_blank" rel="noreferrer">
          API reference
        </a>
        .
      </p>
    </section>
  );
}

type Saved = Record<"at", string> & Record<"changes", string[]>;

const SavedNotice = ({ at, changes }: Saved) => (
  <div class="notice good" role="status" ref={(each) => each?.scrollIntoView({ block: "center" })}>
    <strong>Saved at {at}.</strong>
    <ul class="plain">
      {changes.map((change) => (
        <li key={change}>{change}</li>
      ))}
    </ul>
  </div>
);

export function PolicyPage() {
  const [isJson, setJson] = useState(false);
  const [draft, setDraft] = useState<Policy | null>(null);
  const [saved, setSaved] = useState<Saved | null>(null);
  const [opened, setOpened] = useState<readonly string[]>([location.hash.slice(1) || "limits"]);
  const loading = useLoaded(`policy ${saved?.at ?? ""}`, () =>
    api.GET("/admin/v1/tenants/{tenant}/policy"),
  );
  const doneFrom = (before: Policy) => (after: Policy) => {
    setDraft(null);
    const changes = changedMembers(before, after).map(changeText);
    setSaved({ at: new Date().toLocaleTimeString(), changes });
  };
  const Edit = isJson ? PolicyJson : PolicyForm;
  // Unsaved JSON is kept: the form would lose it.
  const isKept = isJson && draft !== null;
  return (
    <Page
      title="Policy"
      lead="What this tenant may spend and which models it may use. Changes take effect with the next request."
      actions={
        <>
          <a class="button quiet" href={`${ownPath("/events")}?action=policy.`}>
            Policy history
          </a>
          {mayChange.value && (
            <Button class="quiet" disabled={isKept} onClick={() => setJson(!isJson)}>
              {isKept
                ? "Save or undo changes to show the form"
                : `Show ${isJson ? "the form" : "as JSON"}`}
            </Button>
          )}
        </>
      }
    >
      <div class="stack">
        {saved !== null && <SavedNotice {...saved} />}
        <There what="the policy" loading={loading}>
          {(policy, { tag }) =>
            mayChange.value ? (
              <Edit
                key={`${tag} ${isJson}`}
                {...{ policy, tag, draft, opened, setOpened }}
                onDraft={setDraft}
                onDone={doneFrom(policy)}
                reload={loading.again}
              />
            ) : (
              <section class="card stack">
                <NotForRole what="can’t change the policy" permission="change" />
                <p>{membersText(policy, Object.keys(policy))}</p>
              </section>
            )
          }
        </There>
        {isOperator.value && <Ceiling />}
      </div>
    </Page>
  );
}
