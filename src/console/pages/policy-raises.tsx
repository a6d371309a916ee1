import type { Schemas } from "../api.ts";
import { millisOf } from "../format.ts";
import { Time } from "../parts/columns.tsx";
import { Check, Fields, type Editing, type FieldOf } from "../parts/form.tsx";
import { limitText, limitTitles, type LimitName } from "../parts/limits.tsx";
import { Named, NamedChoice, useSubjectNames, type Names } from "../parts/named.tsx";
import type { Problem } from "../problem.ts";

type Raise = Schemas["Raise"];

export const raisesDraftOf = (raises: readonly Raise[] = []) => ({
  all: raises,
  kept: raises,
  subject: "",
  limit: "usdPerDay" as LimitName,
  amount: "",
  until: "",
  reason: "",
});
export type RaisesDraft = ReturnType<typeof raisesDraftOf>;

const isBegun = ({ subject, amount, until, reason }: RaisesDraft): boolean =>
  `${subject}${amount}${until}${reason}` !== "";

/** As a merge patch. */
export const raisesPatchOf = (draft: RaisesDraft) => {
  const { kept, subject, limit, amount, until, reason } = draft;
  const added = isBegun(draft)
    ? [{ subject, limits: { [limit]: Number(amount) }, until: millisOf(until) ?? 0, reason }]
    : [];
  const raises = [...kept, ...added];
  return raises.length === 0 ? null : raises;
};

/** Missing members that the API would default. */
export function raiseProblem(draft: RaisesDraft): Problem | null {
  const { kept, subject, limit, amount } = draft;
  const missing = (member: string, detail: string): Problem => ({
    status: 0,
    reason: "invalid_params",
    title: "A raise is incomplete",
    detail,
    path: `raises.${kept.length}.${member}`,
  });
  if (!isBegun(draft)) return null;
  if (subject === "") return missing("subject", "Choose whose limit to raise.");
  return amount === "" ? missing(`limits.${limit}`, "Enter the raised limit.") : null;
}

const raiseFields: readonly FieldOf<RaisesDraft>[] = [
  { name: "limit", title: "Raised limit", options: Object.entries(limitTitles) },
  { name: "amount", title: "Raised to", type: "number", min: 0, step: "any" },
  {
    name: "until",
    title: "Raised until",
    type: "datetime-local",
    hint: "In your time zone. Expires automatically.",
  },
  { name: "reason", title: "Why", hint: "Visible to anyone who can read the policy." },
];

type Raising = Editing<RaisesDraft>;

function Kept({ raise, names, draft, change }: Raising & { raise: Raise; names: Names }) {
  const { subject, limits, until, reason, by } = raise;
  const others = draft.kept.filter((each) => each !== raise);
  return (
    <li>
      <Named id={subject} names={names} />: {limitText(limits)}, until <Time at={until} />. {reason}{" "}
      ({by ?? "–"}){" "}
      <Check
        title="End now"
        name="raises.end"
        value={!draft.kept.includes(raise)}
        onInput={(ends) => change({ kept: ends ? others : [...others, raise] })}
      />
    </li>
  );
}

export function RaiseFields({ draft, change }: Raising) {
  const names = useSubjectNames();
  const path = `raises.${draft.kept.length}.`;
  const fields = raiseFields.map((field) =>
    field.name === "amount" ? { ...field, path: `${path}limits.${draft.limit}` } : field,
  );
  return (
    <>
      {draft.all.length > 0 && (
        <ul>
          {draft.all.map((raise) => (
            <Kept key={JSON.stringify(raise)} {...{ raise, names, draft, change }} />
          ))}
        </ul>
      )}
      <div class="grid">
        <NamedChoice
          title="Of what"
          name="raises.subject"
          value={draft.subject}
          onInput={(subject) => change({ subject })}
          names={names}
          hint="An id, or for example group:eng, tag:nightly, or run:key_…:one."
          path={`${path}subject`}
        />
        <Fields of={fields} draft={draft} change={change} path={path} />
      </div>
    </>
  );
}
