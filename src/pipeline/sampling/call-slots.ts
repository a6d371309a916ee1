/** Fair scheduling: a call has a slot from before its decision until its end, except while it waits. */
import { ok } from "../../domain/result.ts";
import { refused } from "./states/refused.ts";
import type { Decided, Received } from "./states/states.ts";
import type { CallScheduler } from "./scheduling.ts";

export const createCallSlots = ({
  callScheduler,
}: {
  callScheduler: Pick<CallScheduler, "enter">;
}) => ({
  begins:
    (decide: (call: Received) => Promise<Decided>) =>
    async (call: Received): Promise<Decided> => {
      const { slot: own } = call.request;
      const entered = own === null ? await callScheduler.enter(call.opening.who.tenantId) : ok(own);
      if (!entered.ok) return refused(call, entered.error);
      const decided = await decide({ ...call, slot: entered.value });
      if (decided.state === "refused") entered.value.end();
      return decided;
    },
  ends:
    <Call extends Pick<Received, "slot">, End>(
      run: (call: Call, signal: AbortSignal) => Promise<End>,
    ) =>
    (call: Call, signal: AbortSignal): Promise<End> =>
      run(call, signal).finally(call.slot.end),
});

export type CallSlots = ReturnType<typeof createCallSlots>;
