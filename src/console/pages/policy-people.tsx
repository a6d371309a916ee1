/** Limits of each person, group, tag and run, and of single groups and tags. */
import type { Schemas } from "../api.ts";
import { Field, Fields, type Editing } from "../parts/form.tsx";
import { LimitFields, limitsPatchOf, textsOf } from "../parts/limits.tsx";
import { Button } from "../parts/page.tsx";

type Policy = Schemas["Policy"];
type Owner = "groups" | "tags";

const number = { type: "number", min: 0, placeholder: "none" } as const;
const runFields = [
  { name: "callsPerRun", title: "Calls per run", ...number },
  { name: "usdPerRun", title: "USD per run", step: "any", ...number },
  { name: "newRunsPerDay", title: "New runs per key and day", ...number },
] as const;

const titles = { groups: "group", tags: "tag" } as const;
const owners = Object.keys(titles) as Owner[];

const ownerDraftOf = ({ each, limits = {} }: NonNullable<Policy["groups"]> = {}) => ({
  each: textsOf(each),
  named: Object.entries(limits).map(([name, its]) => ({ name, texts: textsOf(its) })),
});
type OwnerDraft = ReturnType<typeof ownerDraftOf>;

export const peopleDraftOf = ({ perUser, groups, tags, runs }: Policy) => ({
  perUser: textsOf(perUser),
  groups: ownerDraftOf(groups),
  tags: ownerDraftOf(tags),
  runs: Object.fromEntries(
    runFields.map(({ name }) => [name, runs?.[name]?.toString() ?? ""]),
  ) as Record<(typeof runFields)[number]["name"], string>,
});
export type PeopleDraft = ReturnType<typeof peopleDraftOf>;

const isEmpty = (texts: object): boolean => Object.values(texts).every((text) => text === "");

/** A merge patch, which keeps other members. */
function ownerPatchOf({ each, named }: OwnerDraft, before: Policy[Owner]) {
  const kept = named.filter(({ name }) => name.trim() !== "");
  const gone = Object.keys(before?.limits ?? {}).map((name) => [name, null] as const);
  const given = kept.map(({ name, texts }) => [name.trim(), limitsPatchOf(texts)] as const);
  const others = Object.keys(before ?? {}).filter((name) => name !== "each" && name !== "limits");
  if (isEmpty(each) && kept.length === 0 && others.length === 0) return null;
  return {
    each: isEmpty(each) ? null : limitsPatchOf(each),
    limits: kept.length === 0 ? null : Object.fromEntries([...gone, ...given]),
  };
}

export const peoplePatchOf = ({ perUser, groups, tags, runs }: PeopleDraft, before: Policy) => ({
  perUser: isEmpty(perUser) ? null : limitsPatchOf(perUser),
  groups: ownerPatchOf(groups, before.groups),
  tags: ownerPatchOf(tags, before.tags),
  runs: isEmpty(runs)
    ? null
    : Object.fromEntries(
        Object.entries(runs).map(([name, text]) => [name, text === "" ? null : Number(text)]),
      ),
});

export const PeopleFields = ({ draft, change }: Editing<PeopleDraft>) => (
  <>
    <LimitFields
      title="Each person"
      path="perUser"
      texts={draft.perUser}
      onInput={(perUser) => change({ perUser })}
    />
    {owners.map((owner) => (
      <OwnerFields
        key={owner}
        owner={owner}
        draft={draft[owner]}
        change={(changes) => change({ [owner]: { ...draft[owner], ...changes } })}
      />
    ))}
    <fieldset>
      <legend>Runs</legend>
      <div class="grid">
        <Fields
          of={runFields}
          draft={draft.runs}
          path="runs."
          change={(changes) => change({ runs: { ...draft.runs, ...changes } })}
        />
      </div>
    </fieldset>
  </>
);

function OwnerFields({ owner, draft, change }: Editing<OwnerDraft> & { owner: Owner }) {
  const { each, named } = draft;
  const title = titles[owner];
  const replaceAt = (at: number, changes: Partial<OwnerDraft["named"][number]>): void =>
    change({ named: named.map((one, place) => (place === at ? { ...one, ...changes } : one)) });
  return (
    <section class="stack">
      <LimitFields
        title={named.length === 0 ? `Each ${title}` : `Each other ${title}`}
        path={`${owner}.each`}
        texts={each}
        onInput={(texts) => change({ each: texts })}
      />
      {named.map(({ name, texts }, at) => (
        <section key={at} class="stack">
          <Field
            title={`Name of the ${title}`}
            name={`${owner}.${at}.name`}
            value={name}
            onInput={(text) => replaceAt(at, { name: text })}
            isRequired
            hint="Without limits below, it is unlimited."
          />
          <LimitFields
            title={`The ${title} ${name}`}
            path={`${owner}.limits.${name}`}
            texts={texts}
            onInput={(next) => replaceAt(at, { texts: next })}
          />
          <Button class="quiet danger" onClick={() => change({ named: named.toSpliced(at, 1) })}>
            Remove the {title} {name}
          </Button>
        </section>
      ))}
      <Button
        class="quiet"
        onClick={() => change({ named: [...named, { name: "", texts: textsOf({}) }] })}
      >
        Limit a single {title}
      </Button>
    </section>
  );
}
