/** Limits of each person, group, tag and run. */
import { useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { Field } from "../parts/form.tsx";
import { LimitFields, limitsPatchOf, textsOf, type LimitTexts } from "../parts/limits.tsx";

type Policy = Schemas["Policy"];

const runFields = [
  ["callsPerRun", "Calls per run"],
  ["usdPerRun", "USD per run"],
  ["newRunsPerDay", "New runs per key and day"],
] as const;
type RunName = (typeof runFields)[number][0];

export interface PeopleDraft {
  perUser: LimitTexts;
  eachGroup: LimitTexts;
  eachTag: LimitTexts;
  runs: Record<RunName, string>;
}

export const peopleDraftOf = ({ perUser, groups, tags, runs }: Policy): PeopleDraft => ({
  perUser: textsOf(perUser),
  eachGroup: textsOf(groups?.each),
  eachTag: textsOf(tags?.each),
  runs: {
    callsPerRun: runs?.callsPerRun?.toString() ?? "",
    usdPerRun: runs?.usdPerRun?.toString() ?? "",
    newRunsPerDay: runs?.newRunsPerDay?.toString() ?? "",
  },
});

const isEmpty = (texts: Readonly<Record<string, string>>): boolean =>
  Object.values(texts).every((text) => text === "");

/** A merge patch. Limits of single groups and tags are kept. */
export function peoplePatchOf({ perUser, eachGroup, eachTag, runs }: PeopleDraft, before: Policy) {
  const named = (texts: LimitTexts, own: object | undefined) =>
    isEmpty(texts)
      ? own === undefined || Object.keys(own).every((name) => name === "each")
        ? null
        : { each: null }
      : { each: limitsPatchOf(texts) };
  return {
    perUser: isEmpty(perUser) ? null : limitsPatchOf(perUser),
    groups: named(eachGroup, before.groups),
    tags: named(eachTag, before.tags),
    runs: isEmpty(runs)
      ? null
      : Object.fromEntries(
          runFields.map(([name]) => [name, runs[name] === "" ? null : Number(runs[name])]),
        ),
  };
}

interface PeopleFieldsProps {
  draft: PeopleDraft;
  change: (draft: PeopleDraft) => void;
  faultOf: (name: string) => string | null;
}

const parts = [
  ["perUser", "perUser", "Each person"],
  ["eachGroup", "groups.each", "Each group"],
  ["eachTag", "tags.each", "Each tag"],
] as const;

export function PeopleFields({ draft, change, faultOf }: PeopleFieldsProps) {
  const inUse = [draft.perUser, draft.eachGroup, draft.eachTag, draft.runs].some(
    (texts) => !isEmpty(texts),
  );
  const [isOpen, setOpen] = useState(inUse);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Limits of people, groups, tags and runs</summary>
      {isOpen && <PartFields {...{ draft, change, faultOf }} />}
    </details>
  );
}

function PartFields({ draft, change, faultOf }: PeopleFieldsProps) {
  return (
    <>
      {parts.map(([name, path, title]) => (
        <LimitFields
          key={name}
          {...{ title, path, faultOf }}
          texts={draft[name]}
          onInput={(texts) => change({ ...draft, [name]: texts })}
        />
      ))}
      <fieldset>
        <legend>Runs</legend>
        <div class="grid">
          {runFields.map(([name, title]) => (
            <Field
              key={name}
              title={title}
              name={`runs.${name}`}
              type="number"
              min={0}
              step={name === "usdPerRun" ? "any" : "1"}
              placeholder="none"
              value={draft.runs[name]}
              onInput={(text) => change({ ...draft, runs: { ...draft.runs, [name]: text } })}
              fault={faultOf(`runs.${name}`)}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}
