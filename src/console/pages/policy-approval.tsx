import type { Schemas } from "../api.ts";
import { Choice, Field } from "../parts/form.tsx";

type Approval = NonNullable<Schemas["Policy"]["approval"]>;
type Mode = Exclude<Approval["mode"], "auto"> | "";

const lists = ["tools", "servers", "models"] as const;
type ListName = (typeof lists)[number];

export interface ApprovalDraft extends Record<ListName, string> {
  mode: Mode;
  seconds: string;
  approvers: NonNullable<Approval["approvers"]>;
  webhookUrl: string;
  costAbove: string;
  /** conditions that the form doesn't have */
  hasOthers: boolean;
}

export const approvalDraftOf = (approval: Approval | undefined): ApprovalDraft => ({
  mode: approval === undefined || approval.mode === "auto" ? "" : approval.mode,
  seconds: approval?.timeoutSeconds?.toString() ?? "",
  approvers: approval?.approvers ?? "others",
  webhookUrl: approval?.webhookUrl ?? "",
  costAbove: approval?.when?.costUsdAbove?.toString() ?? "",
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
function whenPatchOf({ costAbove, hasOthers, ...draft }: ApprovalDraft) {
  const isEmpty = costAbove === "" && lists.every((name) => draft[name].trim() === "");
  if (isEmpty && !hasOthers) return null;
  return {
    costUsdAbove: costAbove === "" ? null : Number(costAbove),
    ...Object.fromEntries(lists.map((name) => [name, listIn(draft[name])])),
  };
}

export function approvalPatchOf(draft: ApprovalDraft) {
  const { mode, seconds, approvers, webhookUrl } = draft;
  if (mode === "") return null;
  return {
    mode,
    when: whenPatchOf(draft),
    timeoutSeconds: seconds === "" ? null : Number(seconds),
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

const listTitles: Readonly<Record<ListName, readonly [title: string, example: string]>> = {
  tools: ["Or of these tools", "send_mail, delete_file"],
  servers: ["Or from these servers", "payments"],
  models: ["Or to these models", "*/claude-opus*"],
};

interface ApprovalFieldsProps {
  draft: ApprovalDraft;
  change: (draft: ApprovalDraft) => void;
  faultOf: (name: string) => string | null;
}

const Conditions = ({ draft, change, faultOf }: ApprovalFieldsProps) => (
  <>
    <div class="grid">
      <Field
        title="Only calls above (USD)"
        name="approval.when.costUsdAbove"
        type="number"
        min={0}
        step="any"
        placeholder="any"
        value={draft.costAbove}
        onInput={(costAbove) => change({ ...draft, costAbove })}
        fault={faultOf("approval.when.costUsdAbove")}
      />
      {lists.map((name) => (
        <Field
          key={name}
          title={listTitles[name][0]}
          name={`approval.when.${name}`}
          placeholder={listTitles[name][1]}
          value={draft[name]}
          onInput={(text) => change({ ...draft, [name]: text })}
          fault={faultOf(`approval.when.${name}`)}
        />
      ))}
    </div>
    <p class="faint">
      Any matching condition suffices. Without conditions, every call needs approval.
      {draft.hasOthers && " The JSON has another condition, modalities."}
    </p>
  </>
);

const Decisions = ({ draft, change, faultOf }: ApprovalFieldsProps) => (
  <>
    <Field
      title="Time to decide (s)"
      name="approval.timeoutSeconds"
      type="number"
      min={60}
      placeholder="3600"
      value={draft.seconds}
      onInput={(seconds) => change({ ...draft, seconds })}
      fault={faultOf("approval.timeoutSeconds")}
    />
    <Choice
      title="Own calls"
      name="approval.approvers"
      value={draft.approvers}
      options={[
        ["others", "only by others"],
        ["self", "people may approve their own"],
      ]}
      onInput={(approvers) => change({ ...draft, approvers })}
    />
    <Field
      title="Webhook"
      name="approval.webhookUrl"
      type="url"
      placeholder="none"
      value={draft.webhookUrl}
      onInput={(webhookUrl) => change({ ...draft, webhookUrl })}
      hint="Notified of pending calls, without their content."
      fault={faultOf("approval.webhookUrl")}
    />
  </>
);

export const ApprovalFields = (props: ApprovalFieldsProps) => (
  <fieldset>
    <legend>Approval</legend>
    <div class="grid">
      <Choice
        title="Requires approval of"
        name="approval.mode"
        value={props.draft.mode}
        options={modes}
        onInput={(mode) => props.change({ ...props.draft, mode })}
      />
      {props.draft.mode !== "" && <Decisions {...props} />}
    </div>
    {props.draft.mode !== "" && <Conditions {...props} />}
  </fieldset>
);
