import { useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { given } from "../members.ts";
import { Check, Fields, type Editing, type FieldOf } from "../parts/form.tsx";
import { LimitFields } from "../parts/limits.tsx";
import { NamedChoice, useSubjectNames, type Names } from "../parts/named.tsx";
import { membersText } from "../policy-changes.ts";

type Raise = Schemas["Raise"];

const fields: readonly FieldOf<Raise>[] = [
  {
    name: "until",
    title: "Raised until",
    as: "moment",
    hint: "In your time zone. Expires automatically.",
  },
  { name: "reason", title: "Why", hint: "Visible to anyone who can read the policy." },
];

type Policy = Schemas["Policy"];

export const withNames = (policy: Policy, names: Names) => ({
  ...policy,
  raises: policy.raises?.map((each) => ({ ...each, subject: names[each.subject] ?? each.subject })),
});

export function RaiseFields({ draft, change }: Editing<Policy>) {
  const { raises = [] } = draft;
  const names = useSubjectNames();
  // Saved ones name who made them.
  const [saved] = useState(raises.filter(({ by }) => by !== undefined));
  const kept = raises.filter((each) => saved.includes(each));
  const added: Partial<Raise> | undefined = raises.find((each) => !saved.includes(each));
  const set = (all: Raise[]): void => change({ raises: all.length === 0 ? undefined : all });
  const add: Editing<Raise>["change"] = (changes) =>
    set([...kept, given({ ...added, ...changes } as Raise) ?? []].flat());
  const path = `raises.${kept.length}.`;
  const isRequired = added !== undefined;
  return (
    <>
      {saved.length > 0 && (
        <ul class="plain">
          {saved.map((raise) => (
            <li key={JSON.stringify(raise)}>
              {membersText(withNames({ raises: [raise] }, names), ["raises"])}{" "}
              <Check
                title="End now"
                name="raises.end"
                value={!kept.includes(raise)}
                onInput={(ends) =>
                  set(ends ? raises.filter((each) => each !== raise) : [raise, ...raises])
                }
              />
            </li>
          ))}
        </ul>
      )}
      <div class="grid">
        <NamedChoice
          title="Of what"
          name={`${path}subject`}
          value={added?.subject ?? ""}
          onInput={(subject) => add({ subject })}
          hint="An id, or for example group:eng, tag:nightly, or run:key_…:one."
          {...{ names, isRequired }}
        />
        <Fields
          of={fields.map((each) => ({ ...each, isRequired }))}
          draft={(added ?? {}) as Raise}
          change={add}
          path={path}
        />
      </div>
      <LimitFields
        title="Raised to"
        path={`${path}limits`}
        limits={added?.limits}
        onInput={(limits) => add({ limits })}
      />
    </>
  );
}
