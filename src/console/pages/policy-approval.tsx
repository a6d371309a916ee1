import type { Schemas } from "../api.ts";
import { Fields, type FieldOf } from "../parts/fields.tsx";

type Approval = NonNullable<Schemas["Policy"]["approval"]>;
type Mode = Exclude<Approval["mode"], "auto"> | "";

const lists = ["tools", "servers", "models"] as const;
type ListName = (typeof lists)[number];

export interface ApprovalDraft extends Record<ListName, string> {
  mode: Mode;
  timeoutSeconds: string;
  approvers: NonNullable<Approval["approvers"]>;
  webhookUrl: string;
  costUsdAbove: string;
  /** conditions that the form doesn't have */
  hasOthers: boolean;
}

export const approvalDraftOf = (approval: Approval | undefined): ApprovalDraft => ({
  mode: approval === undefined || approval.mode === "auto" ? "" : approval.mode,
  timeoutSeconds: approval?.timeoutSeconds?.toString() ?? "",
  approvers: approval?.approvers ?? "others",
  webhookUrl: approval?.webhookUrl ?? "",
  costUsdAbove: approval?.when?.costUsdAbove?.toString() ?? "",
  tools: approval?.when?.tools?.join(", ") ?? "",
  servers: approval?.when?.servers?.join(", ") ?? "",
  models: approval?.when?.models?.join(", ") ?? "",
  hasOthers: approval?.when?.modalities !== undefined,
});

const listIn = (text: string): string[] | null => {
  const items = text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
  return items.length === 0 ? null : items;
};

/** A merge patch, which keeps other conditions. */
function whenPatchOf({ costUsdAbove, hasOthers, ...draft }: ApprovalDraft) {
  const isEmpty = costUsdAbove === "" && lists.every((name) => draft[name].trim() === "");
  if (isEmpty && !hasOthers) return null;
  return {
    costUsdAbove: costUsdAbove === "" ? null : Number(costUsdAbove),
    ...Object.fromEntries(lists.map((name) => [name, listIn(draft[name])])),
  };
}

export function approvalPatchOf(draft: ApprovalDraft) {
  const { mode, timeoutSeconds, approvers, webhookUrl } = draft;
  if (mode === "") return null;
  return {
    mode,
    when: whenPatchOf(draft),
    timeoutSeconds: timeoutSeconds === "" ? null : Number(timeoutSeconds),
    approvers: approvers === "others" ? null : approvers,
    webhookUrl: webhookUrl === "" ? null : webhookUrl,
  };
}

const modes: readonly (readonly [Mode, string])[] = [
  ["", "nothing: calls run without approval"],
  ["request", "the request, before it is paid for"],
  ["result", "the result, after it is paid for"],
  ["both", "the request, then the result"],
];

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

const modeField: FieldOf<ApprovalDraft> = {
  name: "mode",
  title: "Requires approval of",
  options: modes,
};
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

interface ApprovalFieldsProps {
  draft: ApprovalDraft;
  change: (draft: ApprovalDraft) => void;
}

export function ApprovalFields({ draft, ...props }: ApprovalFieldsProps) {
  const change = (changes: Partial<ApprovalDraft>): void => props.change({ ...draft, ...changes });
  const isOn = draft.mode !== "";
  const its = { draft, change };
  return (
    <fieldset
      ref={(each) => {
        if (location.hash === "#approval") each?.scrollIntoView();
      }}
    >
      <legend>Approval</legend>
      <div class="grid">
        <Fields of={[modeField, ...(isOn ? decisionFields : [])]} {...its} path="approval." />
      </div>
      {isOn && (
        <>
          <div class="grid">
            <Fields of={conditionFields} {...its} path="approval.when." />
          </div>
          <p class="faint">
            Any matching condition suffices. Without conditions, every call needs approval.
            {draft.hasOthers && " The JSON has another condition, modalities."}
          </p>
        </>
      )}
    </fieldset>
  );
}
