/** The form's draft of a policy, and its sections. */
import type { Schemas } from "../api.ts";
import { Fields, type Editing, type FieldOf } from "../parts/form.tsx";
import { LimitFields, limitsPatchOf, textsOf } from "../parts/limits.tsx";
import { approvalDraftOf, ApprovalFields, approvalPatchOf } from "./policy-approval.tsx";
import { peopleDraftOf, PeopleFields, peoplePatchOf } from "./policy-people.tsx";
import { RaiseFields, raisesDraftOf, raisesPatchOf } from "./policy-raises.tsx";

type Policy = Schemas["Policy"];

const lines = (list: readonly string[] | undefined): string => (list ?? []).join("\n");
/** `null` removes the member: a missing list allows everything. */
const listOf = (text: string): string[] | null => {
  const list = text.split("\n").flatMap((line) => line.trim() || []);
  return list.length === 0 ? null : list;
};
const numberOf = (text: string): number | null => (text === "" ? null : Number(text));

export const draftOf = (policy: Policy) => ({
  limits: textsOf(policy.limits),
  maxTokens: policy.maxTokens?.toString() ?? "",
  allowedModels: lines(policy.allowedModels),
  deniedModels: lines(policy.deniedModels),
  capture: policy.capture ?? "",
  approval: approvalDraftOf(policy.approval),
  people: peopleDraftOf(policy),
  timeZone: policy.timeZone ?? "",
  raises: raisesDraftOf(policy.raises),
  userNames: policy.userNames ?? "",
  retentionDays: policy.retentionDays?.toString() ?? "",
});
export type Draft = ReturnType<typeof draftOf>;

export const patchOf = (draft: Draft, policy: Policy) => ({
  limits: limitsPatchOf(draft.limits),
  maxTokens: numberOf(draft.maxTokens),
  allowedModels: listOf(draft.allowedModels),
  deniedModels: listOf(draft.deniedModels),
  capture: draft.capture || null,
  userNames: draft.userNames || null,
  retentionDays: numberOf(draft.retentionDays),
  approval: approvalPatchOf(draft.approval),
  raises: raisesPatchOf(draft.raises),
  timeZone: draft.timeZone || null,
  ...peoplePatchOf(draft.people, policy),
});

const limitFields: readonly FieldOf<Draft>[] = [
  {
    name: "timeZone",
    title: "Time zone",
    placeholder: "UTC",
    list: "time-zones",
    hint: "For days, weeks and months of all limits. A change resets their usage.",
  },
];

const modelFields: readonly FieldOf<Draft>[] = [
  {
    name: "allowedModels",
    title: "Allowed models",
    rows: 3,
    isCode: true,
    hint: "One pattern per line: provider/model. */anthropic/claude-* allows Claude at every provider. Leave blank to allow all.",
  },
  {
    name: "deniedModels",
    title: "Denied models",
    rows: 3,
    isCode: true,
    hint: "Takes precedence over allowed models. A pattern can match any name of a model: */claude-opus* denies Claude Opus at every provider.",
  },
  {
    name: "maxTokens",
    title: "Maximum tokens per answer",
    type: "number",
    min: 1,
    placeholder: "none",
  },
];

const recordFields: readonly FieldOf<Draft>[] = [
  {
    name: "capture",
    title: "Captured content",
    options: [
      ["", "Default (off)"],
      ["none", "Off"],
      ["full", "Requests and results, encrypted"],
    ],
  },
  {
    name: "userNames",
    title: "Names of people",
    options: [
      ["", "Default (not stored)"],
      ["none", "Not stored"],
      ["keep", "Stored until the person is deleted"],
    ],
  },
  {
    name: "retentionDays",
    title: "Record retention (days)",
    type: "number",
    min: 1,
    placeholder: "90",
  },
];

const Part = (props: Editing<Draft> & { of: readonly FieldOf<Draft>[] }) => (
  <div class="grid wide">
    <Fields {...props} />
  </div>
);

/** Each with its members in the policy. */
export const sectionsOf = (props: Editing<Draft>) => {
  const { draft, change } = props;
  const part =
    <Name extends "approval" | "people" | "raises">(name: Name) =>
    (changes: Partial<Draft[Name]>): void =>
      change({ [name]: { ...draft[name], ...changes } });
  return [
    {
      title: "Limits",
      paths: ["limits", "timeZone"],
      fields: (
        <>
          <LimitFields
            title="Whole tenant"
            texts={draft.limits}
            onInput={(limits) => change({ limits })}
          />
          <Part of={limitFields} {...props} />
          <datalist id="time-zones">
            {Intl.supportedValuesOf("timeZone").map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </>
      ),
    },
    {
      title: "People, groups, tags and runs",
      paths: ["perUser", "groups", "tags", "runs"],
      fields: <PeopleFields draft={draft.people} change={part("people")} />,
    },
    {
      title: "Temporary raises",
      paths: ["raises"],
      fields: <RaiseFields draft={draft.raises} change={part("raises")} />,
    },
    {
      title: "Models",
      paths: ["allowedModels", "deniedModels", "maxTokens"],
      fields: <Part of={modelFields} {...props} />,
    },
    {
      title: "Approval",
      paths: ["approval"],
      fields: <ApprovalFields draft={draft.approval} change={part("approval")} />,
    },
    {
      title: "Records",
      paths: ["capture", "userNames", "retentionDays"],
      fields: <Part of={recordFields} {...props} />,
    },
  ];
};
