import { isAllowed } from "../../domain/models/allowed.ts";
import { nameOf } from "../../domain/models/model.ts";
import type { ApprovalDecision, HeldCall } from "../../domain/ports/approvals.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import type { Block, Message, SamplingCall } from "../../domain/sampling/call.ts";
import { claimOf } from "../sampling/admission/admit.ts";
import type { Chooser } from "../sampling/choice/choose.ts";
import type { ReadContent } from "./contents.ts";
import type { HeldCallerOf } from "./slots.ts";
import { declaredIn, planFor, type KeptRequest, type SealContent } from "./hold-request.ts";

export interface HeldCallEdits {
  messages?: Message[];
  systemPrompt?: string;
  model?: string;
  /** of the result */
  text?: string;
}

export type EditHeldCall = (
  held: HeldCall,
  edits: HeldCallEdits,
) => AsyncResult<Pick<ApprovalDecision, "claim" | "parts" | "edited">>;

const noLongerEditable: Refusal = {
  reason: "conflict",
  detail:
    "The request can't be edited: its content expired, its API key was revoked, or its server was deleted.",
};

const onlyModelEditable =
  "The request has content that only its provider can read, so only its model can be edited.";

export function createEditHeldCall(deps: {
  callerOf: HeldCallerOf;
  chooser: Pick<Chooser, "plan">;
  read: ReadContent;
  seal: SealContent;
  sha256Hex: (text: string) => Promise<string>;
  now: () => number;
}): EditHeldCall {
  const { callerOf, chooser, read, seal, sha256Hex, now } = deps;

  const invalidEdit = (path: string, detail: string) =>
    err({ reason: "invalid_params", path: `edited.${path}`, detail } as const);

  const editResult = async ({ approval }: HeldCall, { text, ...otherEdits }: HeldCallEdits) => {
    const { tenantId, requestId } = approval;
    const [otherField] = Object.keys(otherEdits);
    if (text === undefined || otherField !== undefined)
      return invalidEdit(otherField ?? "text", "Only the text of a result can be edited.");
    const content = JSON.stringify([{ type: "text", text }] satisfies Block[]);
    return ok({
      edited: { content: await sha256Hex(content) },
      parts: await seal(tenantId, `${requestId}#edited-result`, content),
    });
  };

  return async (held, edits) => {
    if (held.approval.stage === "result") return editResult(held, edits);
    if (edits.text !== undefined) return invalidEdit("text", "The request has no result yet.");
    const { messages, systemPrompt, model } = edits;
    const isReworded = messages !== undefined || systemPrompt !== undefined;
    const { tenantId, requestId } = held.approval;
    const kept = await read<KeptRequest>({ tenantId, requestId }, "request");
    if (!kept.ok) return kept;
    if (kept.value === null) return err(noLongerEditable);
    const { shown, asked } = kept.value;
    const declared = declaredIn(kept.value);
    const caller = await callerOf(held, { shown, now: now() });
    if (!caller.ok) return caller;
    if (caller.value === null) return err(noLongerEditable);
    const modelName = model ?? shown.model;
    const [provider = "", ...rest] = modelName.split("/");
    const { policy } = caller.value.snapshot.tenant;
    if (!isAllowed({ provider, id: rest.join("/") }, policy))
      return invalidEdit("model", "The tenant's policy doesn't allow this model.");
    const { endpoint: _, passing, ...translated } = asked;
    if (isReworded && (passing?.losses.length ?? 0) > 0)
      return invalidEdit(messages === undefined ? "systemPrompt" : "messages", onlyModelEditable);
    const call: SamplingCall = {
      // An edited request can't pass byte for byte.
      ...(isReworded ? translated : asked),
      ...(messages !== undefined && { messages }),
      ...(systemPrompt !== undefined && { systemPrompt }),
    };
    const server = caller.value.server === null ? null : { ...caller.value.server };
    const planned = planFor(chooser, {
      asked: call,
      caller: caller.value,
      server,
      declared,
      now: now(),
      model: modelName,
      countedAt: held.admittedAt,
    });
    if (!planned.ok) return planned;
    const { decision } = planned.value.plan;
    const text = JSON.stringify(call);
    return ok({
      claim: claimOf(planned.value),
      edited: {
        ...(isReworded && { content: await sha256Hex(text) }),
        ...(modelName !== shown.model && {
          model: nameOf({ provider: decision.provider, id: decision.model }),
        }),
      },
      ...(isReworded && { parts: await seal(tenantId, `${requestId}#edited`, text) }),
    });
  };
}
