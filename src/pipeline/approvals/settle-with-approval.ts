/** Settles an attempted call, unless its result has to be approved first. */
import { idempotentCallOf } from "../sampling/request/idempotent-call.ts";
import type { Settle, Settling } from "../sampling/states/settled.ts";
import type { HoldResult } from "./hold-result.ts";

export const createSettleWithApproval =
  ({
    settling,
    holdResult,
  }: {
    settling: Pick<Settling, "account" | "settleAs" | "settleRefused">;
    holdResult: HoldResult;
  }): Settle =>
  async (attempted) => {
    const accounted = await settling.account(attempted);
    const { call, ended, recorded } = accounted;
    const { approval: need } = call;
    if (!recorded.ok || need?.stages.includes("result") !== true)
      return settling.settleAs(accounted);
    const key = idempotentCallOf(call);
    const held = key !== null && (await holdResult(call, { ended, recorded, need }));
    if (held !== false && held.ok && held.value)
      return { ...call, state: "held", requestId: call.opening.id, key, role: "owner" };
    // The result isn't approved and can't wait, because the database is away.
    return settling.settleRefused(call, ended, { reason: "unavailable", retryAfterMs: 1_000 });
  };
