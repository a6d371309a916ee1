import type { Schemas } from "../api.ts";
import { Fields, type Editing, type FieldOf } from "../parts/form.tsx";

type Approval = NonNullable<Schemas["Policy"]["approval"]>;

const lists = ["tools", "servers", "models"] as const;

export const approvalDraftOf = (approval: Partial<Approval> = {}) => ({
  mode: approval.mode === "auto" ? "" : (approval.mode ?? ""),
  timeoutSeconds: approval.timeoutSeconds?.toString() ?? "",
  approvers: approval.approvers ?? "others",
  webhookUrl: approval.webhookUrl ?? "",
  costUsdAbove: approval.when?.costUsdAbove?.toString() ?? "",
  tools: approval.when?.tools?.join(", ") ?? "",
  servers: approval.when?.servers?.join(", ") ?? "",
  models: approval.when?.models?.join(", ") ?? "",
  /** conditions that the form doesn't have */
  hasOthers: approval.when?.modalities !== undefined,
});
export type ApprovalDraft = ReturnType<typeof approvalDraftOf>;

const listIn = (text: string): string[] | null => {
  const items = text.split(",").flatMap((each) => each.trim() || []);
  return items.length === 0 ? null : items;
};
const numberIn = (text: string): number | null => (text === "" ? null : Number(text));

/** A merge patch, which keeps other conditions. */
export function approvalPatchOf(draft: ApprovalDraft) {
  const { mode, timeoutSeconds, approvers, webhookUrl, costUsdAbove, hasOthers } = draft;
  if (mode === "") return null;
  const when = {
    costUsdAbove: numberIn(costUsdAbove),
    ...Object.fromEntries(lists.map((name) => [name, listIn(draft[name])])),
  };
  const isAny = !hasOthers && Object.values(when).every((each) => each === null);
  return {
    mode,
    when: isAny ? null : when,
    timeoutSeconds: numberIn(timeoutSeconds),
    approvers: approvers === "others" ? null : approvers,
    webhookUrl: webhookUrl || null,
  };
}

const modeField: FieldOf<ApprovalDraft> = {
  name: "mode",
  title: "Requires approval of",
  options: [
    ["", "nothing: calls run without approval"],
    ["request", "the request, before it is paid for"],
    ["result", "the result, after it is paid for"],
    ["both", "the request, then the result"],
  ],
};
const conditionFields: readonly FieldOf<ApprovalDraft>[] = [
  {
    name: "costUsdAbove",
    title: "Only calls above (USD)",
    type: "number",
    min: 0,
    step: "any",
    placeholder: "any",
  },
  { name: "tools", title: "Or of these tools", placeholder: "send_mail, delete_file" },
  { name: "servers", title: "Or from these servers", placeholder: "payments" },
  { name: "models", title: "Or to these models", placeholder: "*/claude-opus*" },
];
const decisionFields: readonly FieldOf<ApprovalDraft>[] = [
  {
    name: "timeoutSeconds",
    title: "Time to decide (s)",
    type: "number",
    min: 60,
    placeholder: "3600",
  },
  {
    name: "approvers",
    title: "Own calls",
    options: [
      ["others", "only by others"],
      ["self", "people may approve their own"],
    ],
  },
  {
    name: "webhookUrl",
    title: "Webhook",
    type: "url",
    placeholder: "none",
    hint: "Notified of pending calls, without their content.",
  },
];

export const ApprovalFields = (its: Editing<ApprovalDraft>) => (
  <>
    <div class="grid wide">
      <Fields of={[modeField]} {...its} path="approval." />
    </div>
    {its.draft.mode !== "" && (
      <>
        <div class="grid">
          <Fields of={conditionFields} {...its} path="approval.when." />
        </div>
        <p class="faint">
          Any matching condition suffices. Without conditions, every call needs approval.
          {its.draft.hasOthers && " The JSON has another condition, modalities."}
        </p>
        <div class="grid">
          <Fields of={decisionFields} {...its} path="approval." />
        </div>
      </>
    )}
  </>
);
