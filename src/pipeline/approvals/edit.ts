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

export interface RequestEdits {
  messages?: Message[];
  systemPrompt?: string;
  model?: string;
  text?: string;
}

export type EditHeld = (
  held: HeldCall,
  edits: RequestEdits,
) => AsyncResult<Pick<ApprovalDecision, "claim" | "parts" | "edited">>;

const gone: Refusal = {
  reason: "conflict",
  detail: "The key that asks, or its server, is gone by now.",
};

const onlyAsItCame =
  "The request holds what only its provider can read, so its text can't be edited.";

export function createEditHeld(deps: {
  callerOf: HeldCallerOf;
  chooser: Pick<Chooser, "plan">;
  read: ReadContent;
  seal: SealContent;
  sha256Hex: (text: string) => Promise<string>;
  now: () => number;
}): EditHeld {
  const { callerOf, chooser, read, seal, sha256Hex, now } = deps;

  const wrong = (path: string, detail: string) =>
    err({ reason: "invalid_params", path: `edited.${path}`, detail } as const);

  const editResult = async ({ approval }: HeldCall, { text, ...others }: RequestEdits) => {
    const { tenantId, requestId } = approval;
    const [other] = Object.keys(others);
    if (text === undefined || other !== undefined)
      return wrong(other ?? "text", "Of a result, its text can be edited.");
    const content = JSON.stringify([{ type: "text", text }] satisfies Block[]);
    return ok({
      edited: { content: await sha256Hex(content) },
      parts: await seal(tenantId, `${requestId}#edited-result`, content),
    });
  };

  return async (held, edits) => {
    if (held.approval.stage === "result") return editResult(held, edits);
    if (edits.text !== undefined) return wrong("text", "There is no result yet.");
    const { messages, systemPrompt, model } = edits;
    const isReworded = messages !== undefined || systemPrompt !== undefined;
    const { tenantId, requestId } = held.approval;
    const kept = await read<KeptRequest>({ tenantId, requestId }, "request");
    if (!kept.ok) return kept;
    if (kept.value === null) return err(gone);
    const { shown, asked } = kept.value;
    const declared = declaredIn(kept.value);
    const caller = await callerOf(held, { shown, now: now() });
    if (!caller.ok) return caller;
    if (caller.value === null) return err(gone);
    const chosen = model ?? shown.model;
    const [provider = "", ...rest] = chosen.split("/");
    const { policy } = caller.value.snapshot.tenant;
    if (!isAllowed({ provider, id: rest.join("/") }, policy)) return wrong("model", "Not allowed.");
    const { endpoint: _, passing, ...plain } = asked;
    if (isReworded && (passing?.losses.length ?? 0) > 0)
      return wrong(messages === undefined ? "systemPrompt" : "messages", onlyAsItCame);
    const call: SamplingCall = {
      // What was edited is no longer the request that came.
      ...(isReworded ? plain : asked),
      ...(messages !== undefined && { messages }),
      ...(systemPrompt !== undefined && { systemPrompt }),
    };
    const server = caller.value.server === null ? null : { ...caller.value.server };
    const wanted = { asked: call, caller: caller.value, server, declared, now: now() };
    const planned = planFor(chooser, {
      ...wanted,
      model: chosen,
      countedAt: held.admittedAt,
    });
    if (!planned.ok) return planned;
    const { decision } = planned.value.plan;
    const text = JSON.stringify(call);
    return ok({
      claim: claimOf(planned.value),
      edited: {
        ...(isReworded && { content: await sha256Hex(text) }),
        ...(chosen !== shown.model && {
          model: nameOf({ provider: decision.provider, id: decision.model }),
        }),
      },
      ...(isReworded && { parts: await seal(tenantId, `${requestId}#edited`, text) }),
    });
  };
}
