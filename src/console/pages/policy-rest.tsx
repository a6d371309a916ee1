/** The form's draft of a policy, and its fields without a part of their own. */
import type { Schemas } from "../api.ts";
import { Choice, Field, TextArea } from "../parts/form.tsx";
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
  allowed: lines(policy.allowedModels),
  denied: lines(policy.deniedModels),
  capture: policy.capture ?? "",
  approval: approvalDraftOf(policy.approval),
  people: peopleDraftOf(policy),
  timeZone: policy.timeZone ?? "",
  raises: raisesDraftOf(policy.raises),
  days: policy.retentionDays?.toString() ?? "",
});
export type Draft = ReturnType<typeof draftOf>;

export const patchOf = (draft: Draft, policy: Policy) => ({
  limits: limitsPatchOf(draft.limits),
  maxTokens: numberOf(draft.maxTokens),
  allowedModels: listOf(draft.allowed),
  deniedModels: listOf(draft.denied),
  capture: textOrNull(draft.capture),
  retentionDays: numberOf(draft.days),
  approval: approvalPatchOf(draft.approval),
  raises: raisesPatchOf(draft.raises),
  timeZone: textOrNull(draft.timeZone),
  ...peoplePatchOf(draft.people, policy),
});

interface PartProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

export const Rest = ({
  draft,
  change,
  faultOf,
}: PartProps & { faultOf: (name: string) => string | null }) => (
  <div class="grid">
    <Field
      title="Maximum tokens per answer"
      name="maxTokens"
      type="number"
      min={1}
      placeholder="none"
      value={draft.maxTokens}
      onInput={(maxTokens) => change({ maxTokens })}
      fault={faultOf("maxTokens")}
    />
    <Choice
      title="Captured content"
      name="capture"
      value={draft.capture}
      options={onOff}
      onInput={(capture) => change({ capture })}
    />
    <Field
      title="Record retention (days)"
      name="retentionDays"
      type="number"
      min={1}
      placeholder="90"
      value={draft.days}
      onInput={(days) => change({ days })}
      fault={faultOf("retentionDays")}
    />
    <Field
      title="Time zone"
      name="timeZone"
      placeholder="UTC"
      list="time-zones"
      value={draft.timeZone}
      onInput={(timeZone) => change({ timeZone })}
      hint="For days, weeks and months of all limits. A change resets their usage."
      fault={faultOf("timeZone")}
    />
    <datalist id="time-zones">
      {Intl.supportedValuesOf("timeZone").map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
  </div>
);

export const Lists = ({ draft, change }: PartProps) => (
  <div class="grid">
    <TextArea
      title="Allowed models"
      name="allowedModels"
      rows={3}
      isCode
      value={draft.allowed}
      onInput={(allowed) => change({ allowed })}
      hint="One pattern per line: provider/model. */anthropic/claude-* allows Claude at every provider. Leave blank to allow all."
    />
    <TextArea
      title="Denied models"
      name="deniedModels"
      rows={3}
      isCode
      value={draft.denied}
      onInput={(denied) => change({ denied })}
      hint="Takes precedence over allowed models. A pattern can match any name of a model: */claude-opus* denies Claude Opus at every provider."
    />
  </div>
);
