import type { Schemas } from "../api.ts";
import { Choice, Field } from "../parts/form.tsx";

type Approval = NonNullable<Schemas["Policy"]["approval"]>;
type Mode = Approval["mode"] | "";

export interface ApprovalDraft {
  mode: Mode;
  seconds: string;
  approvers: NonNullable<Approval["approvers"]>;
  webhookUrl: string;
}

export const approvalDraftOf = (approval: Approval | undefined): ApprovalDraft => ({
  mode: approval === undefined || approval.mode === "auto" ? "" : approval.mode,
  seconds: approval?.timeoutSeconds?.toString() ?? "",
  approvers: approval?.approvers ?? "others",
  webhookUrl: approval?.webhookUrl ?? "",
});

/** A merge patch, which keeps other members such as conditions. */
export const approvalPatchOf = ({ mode, seconds, approvers, webhookUrl }: ApprovalDraft) =>
  mode === ""
    ? null
    : {
        mode,
        timeoutSeconds: seconds === "" ? null : Number(seconds),
        approvers: approvers === "others" ? null : approvers,
        webhookUrl: webhookUrl === "" ? null : webhookUrl,
      };

const modes: readonly (readonly [Mode, string])[] = [
  ["", "nothing: calls run without approval"],
  ["request", "the request, before it is paid for"],
  ["result", "the result, after it is paid for"],
  ["both", "the request, then the result"],
];

interface ApprovalFieldsProps {
  draft: ApprovalDraft;
  change: (draft: ApprovalDraft) => void;
  faultOf: (name: string) => string | null;
}

export function ApprovalFields({ draft, change, faultOf }: ApprovalFieldsProps) {
  return (
    <fieldset>
      <legend>Approval</legend>
      <div class="grid">
        <Choice
          title="Requires approval of"
          name="approval.mode"
          value={draft.mode}
          options={modes}
          onInput={(mode) => change({ ...draft, mode })}
          hint="Every call, unless approval.when (“Show as JSON”) restricts it."
        />
        {draft.mode !== "" && (
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
        )}
      </div>
    </fieldset>
  );
}
