/** The form's draft of a policy, and its fields without a part of their own. */
import type { Schemas } from "../api.ts";
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { limitsPatchOf, textsOf } from "../parts/limits.tsx";
import { approvalDraftOf, approvalPatchOf } from "./policy-approval.tsx";
import { peopleDraftOf, peoplePatchOf } from "./policy-people.tsx";
import { raisesDraftOf, raisesPatchOf } from "./policy-raises.tsx";

type Policy = Schemas["Policy"];

const onOff = [
  ["", "Default (off)"],
  ["none", "Off"],
  ["full", "Requests and results, encrypted"],
] as const;

const lines = (list: readonly string[] | undefined): string => (list ?? []).join("\n");
/** `null` removes the member: a missing list allows everything. */
const listOf = (text: string): string[] | null => {
  const list = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  return list.length === 0 ? null : list;
};
const numberOf = (text: string): number | null => (text === "" ? null : Number(text));
const textOrNull = <Text extends string>(text: Text): Exclude<Text, ""> | null =>
  text === "" ? null : (text as Exclude<Text, "">);

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
  capture: textOrNull(draft.capture),
  userNames: textOrNull(draft.userNames),
  retentionDays: numberOf(draft.retentionDays),
  approval: approvalPatchOf(draft.approval),
  raises: raisesPatchOf(draft.raises),
  timeZone: textOrNull(draft.timeZone),
  ...peoplePatchOf(draft.people, policy),
});

const restFields: readonly FieldOf<Draft>[] = [
  {
    name: "maxTokens",
    title: "Maximum tokens per answer",
    type: "number",
    min: 1,
    placeholder: "none",
  },
  { name: "capture", title: "Captured content", options: onOff },
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
  {
    name: "timeZone",
    title: "Time zone",
    placeholder: "UTC",
    list: "time-zones",
    hint: "For days, weeks and months of all limits. A change resets their usage.",
  },
];

const listFields: readonly FieldOf<Draft>[] = [
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
];

interface PartProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

export const Rest = (props: PartProps) => (
  <div class="grid">
    <Fields of={restFields} {...props} />
    <datalist id="time-zones">
      {Intl.supportedValuesOf("timeZone").map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
  </div>
);

export const Lists = (props: PartProps) => (
  <div class="grid">
    <Fields of={listFields} {...props} />
  </div>
);
