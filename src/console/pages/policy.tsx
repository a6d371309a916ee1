import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { mergePatchOf } from "../../domain/merge-patch.ts";
import { api, type Schemas } from "../api.ts";
import { useLoaded } from "../load.ts";
import { useUnsaved } from "../parts/dialog.tsx";
import { Form, useDraft, useFaults } from "../parts/form.tsx";
import { JsonEdit } from "../parts/json-edit.tsx";
import { Button, NotForRole, Page, There } from "../parts/page.tsx";
import { ownPath, prefix } from "../place.ts";
import { changedMembers, changeText, membersText, memberTitle } from "../policy-changes.ts";
import type { Asked } from "../problem.ts";
import { isOperator, mayChange } from "../session.ts";
import { Ceiling } from "./policy-ceiling.tsx";
import { raiseProblem } from "./policy-raises.tsx";
import { sections } from "./policy-sections.tsx";
import { Trial, useTrial } from "./policy-trial.tsx";

type Policy = Schemas["Policy"];

interface SectionProps extends Pick<(typeof sections)[number], "title" | "paths"> {
  /** what is set */
  said: string;
  opened: readonly string[];
  setOpened: (opened: readonly string[]) => void;
  children: ComponentChildren;
}

/** A part of the form. A closed one says what is set, and an error of its members opens it. */
function Section({ title, paths, said, opened, setOpened, children }: SectionProps) {
  const faultOf = useFaults();
  const [id = ""] = paths;
  const isOpen = opened.includes(id) || paths.some((path) => faultOf(path) !== null);
  const toggle = (opens: boolean): void => {
    const others = opened.filter((each) => each !== id);
    if (opened.includes(id) !== opens) setOpened(opens ? [...others, id] : others);
  };
  return (
    <details
      id={id}
      class="card"
      open={isOpen}
      onToggle={({ currentTarget }) => toggle(currentTarget.open)}
    >
      <summary>
        <h2>{title}</h2> <small>{said}</small>
      </summary>
      {isOpen && <div class="stack">{children}</div>}
    </details>
  );
}

interface EditProps extends Pick<SectionProps, "opened" | "setOpened"> {
  policy: Policy;
  tag: string | null;
  draft: Policy | null;
  onDraft: (draft: Policy | null) => void;
  onDone: (saved: Policy) => void;
  reload: () => unknown;
}

function PolicyForm({ policy, tag, onDraft, onDone, reload, ...opening }: EditProps) {
  const { draft, change } = useDraft(policy);
  // A rule without what it asks for is none.
  const { approval, ...others } = draft;
  const wanted: Policy = approval?.mode ? draft : others;
  const patch = mergePatchOf(policy, wanted);
  const unsaved = Object.keys(patch);
  const question = useUnsaved(unsaved.length > 0);
  useEffect(() => onDraft(unsaved.length > 0 ? wanted : null), [JSON.stringify(patch)]);
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  const trial = useTrial(() => wanted);
  const save = async (): Promise<Asked<Policy>> => {
    const problem = raiseProblem(draft.raises);
    if (problem !== null) return { ok: false, problem };
    return api.PATCH("/admin/v1/tenants/{tenant}/policy", { ifMatch: tag, body: patch });
  };
  return (
    <>
      <Form
        submit="Save changes"
        act={save}
        {...{ onDone, reload }}
        beside={
          <>
            {trial.button}
            <span class="faint">
              {unsaved.length > 0 && `Not saved: ${unsaved.map(memberTitle).join(", ")}`}
            </span>
          </>
        }
      >
        <div class="sections stack">
          {sections.map(({ title, paths, Shown }) => (
            <Section
              key={title}
              {...{ title, paths, ...opening }}
              said={membersText(wanted, paths)}
            >
              <Shown {...{ draft, change }} />
            </Section>
          ))}
        </div>
        {trial.found}
      </Form>
      {question}
    </>
  );
}

function PolicyJson({ policy, tag, draft, onDraft, onDone }: EditProps) {
  const [begun] = useState(draft);
  return (
    <section class="card stack">
      <JsonEdit
        value={policy}
        {...(begun !== null && { draft: begun })}
        onUnsaved={(isUnsaved) => onDraft(isUnsaved ? policy : null)}
        submit="Replace policy"
        put={(body) => api.PUT("/admin/v1/tenants/{tenant}/policy", { ifMatch: tag, body })}
        onDone={onDone}
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
