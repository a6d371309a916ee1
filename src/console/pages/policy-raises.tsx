import { useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { limitTitles, type LimitName } from "../limit-titles.ts";
import { given } from "../members.ts";
import { Time } from "../parts/columns.tsx";
import { Check, Field, Fields, type Editing, type FieldOf } from "../parts/form.tsx";
import { limitText, type Limits } from "../parts/limits.tsx";
import { Named, NamedChoice, useSubjectNames } from "../parts/named.tsx";
import type { Problem } from "../problem.ts";

type Raise = Schemas["Raise"];
type Raising = Editing<Pick<Schemas["Policy"], "raises">>;

const limits = Object.entries(limitTitles) as [LimitName, string][];
const fieldsOf = (limit: LimitName): readonly FieldOf<Raise>[] => [
  { name: `limits.${limit}`, title: "Raised to", as: "number", min: 0, step: "any" },
  {
    name: "until",
    title: "Raised until",
    as: "moment",
    hint: "In your time zone. Expires automatically.",
  },
  { name: "reason", title: "Why", hint: "Visible to anyone who can read the policy." },
];

/** Missing members that the API would default. */
export function raiseProblem(raises: readonly Partial<Raise>[] = []): Problem | null {
  const at = raises.findIndex(({ subject, limits: its }) => !subject || its === undefined);
  const missing = (member: string, detail: string): Problem => ({
    status: 0,
    reason: "invalid_params",
    title: "A raise is incomplete",
    detail,
    path: `raises.${at}.${member}`,
  });
  if (at === -1) return null;
  return raises[at]?.subject
    ? missing("limits", "Enter the raised limit.")
    : missing("subject", "Choose whose limit to raise.");
}

export function RaiseFields({ draft: { raises = [] }, change }: Raising) {
  const names = useSubjectNames();
  const [limit, setLimit] = useState<LimitName>("usdPerDay");
  // Saved ones name who made them.
  const [saved] = useState(raises.filter(({ by }) => by !== undefined));
  const kept = raises.filter((each) => saved.includes(each));
  const added: Partial<Raise> = raises.find((each) => !saved.includes(each)) ?? {};
  const set = (all: readonly (Partial<Raise> | undefined)[]): void => {
    const raised = all.filter((each) => each !== undefined) as Raise[];
    change({ raises: raised.length === 0 ? undefined : raised });
  };
  const add: Editing<Raise>["change"] = (changes) =>
    set([...kept, given({ ...added, ...changes } as Partial<Raise>)]);
  const path = `raises.${kept.length}.`;
  return (
    <>
      {saved.length > 0 && (
        <ul>
          {saved.map((raise) => (
            <li key={JSON.stringify(raise)}>
              <Named id={raise.subject} names={names} />: {limitText(raise.limits)}, until{" "}
              <Time at={raise.until} />. {raise.reason} ({raise.by}){" "}
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
          name="raises.subject"
          value={added.subject ?? ""}
          onInput={(subject) => add({ subject })}
          names={names}
          hint="An id, or for example group:eng, tag:nightly, or run:key_…:one."
          path={`${path}subject`}
        />
        <Field
          title="Raised limit"
          name="raises.limit"
          value={limit}
          options={limits}
          onInput={(name) => {
            setLimit(name);
            add({ limits: given<Limits>({ [name]: added.limits?.[limit] }) });
          }}
        />
        <Fields of={fieldsOf(limit)} draft={added as Raise} change={add} path={path} />
      </div>
    </>
  );
}
