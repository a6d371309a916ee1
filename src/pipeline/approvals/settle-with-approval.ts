import type { Accounted } from "../sampling/states/accounted.ts";
import type { Settling } from "../sampling/states/settled.ts";
import { canKeep, maxKeptCharacters } from "../sampling/streams/kept-answers.ts";
import type { Attempted, Held, Settled } from "../sampling/states/states.ts";
import type { HoldResult } from "./hold-result.ts";

export const createSettleWithApproval =
  ({
    account,
    settling: { settle, settleRefused },
    holdResult,
  }: {
    account: (call: Attempted) => Promise<Accounted>;
    settling: Pick<Settling, "settle" | "settleRefused">;
    holdResult: HoldResult;
  }) =>
  async (attempted: Attempted): Promise<Settled | Held> => {
    const accounted = await account(attempted);
    const { call, ended, recorded } = accounted;
    const { approval: need, replayKey, request } = call;
    if (!recorded.ok || need?.stages.includes("result") !== true) return settle(accounted);
    if (request.reader !== undefined && !canKeep(recorded))
      return settleRefused(call, ended, {
        reason: "response_too_large",
        maxCharacters: maxKeptCharacters,
      });
    const held = await holdResult(call, { ended, recorded, need });
    if (replayKey !== null && held.ok && held.value)
      return { ...call, state: "held", requestId: call.opening.id, replayKey, role: "owner" };
    // The result isn't approved and can't wait, because the database is away.
    return settleRefused(call, ended, { reason: "unavailable", retryAfterMs: 1_000 });
  };
