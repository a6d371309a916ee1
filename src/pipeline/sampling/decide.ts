import { defaultDeadlineMs } from "../../domain/choice/policy.ts";
import { waitWithin, type LimitWaits } from "./admission/limit-waits.ts";
import { refused, type Refuse } from "./states/refused.ts";
import type { RepeatKnown } from "./states/joined.ts";
import type { Decided, Received, Undecided } from "./states/states.ts";

export type DecideOnce = (call: Received) => Promise<Decided | Undecided>;

/** A caller from memory may have changed, so it is read again before a refusal is believed. */
export const withCurrentCaller =
  (decide: DecideOnce): DecideOnce =>
  async (call) => {
    const decided = await decide(call);
    const isBelieved = decided.state !== "unchosen" && decided.state !== "stale";
    if (isBelieved || !call.caller.warm) return decided;
    const again = await call.request.reauthenticate();
    return again.ok ? decide({ ...call, caller: again.value }) : refused(call, again.error);
  };

export const createWaitForRoom =
  ({
    limitWaits,
    repeatKnown,
    refuse,
  }: {
    limitWaits: Pick<LimitWaits, "through">;
    repeatKnown: RepeatKnown;
    refuse: Refuse;
  }) =>
  (decide: DecideOnce) =>
  (call: Received): Promise<Decided> => {
    const { tenant } = call.caller.snapshot;
    const longestMs = waitWithin(tenant.policy.deadlineMs ?? defaultDeadlineMs);
    const { outside } = call.slot;
    return limitWaits.through(
      { tenantId: tenant.id, longestMs, outside },
      async ({ ifReserved, waitedMs }) => {
        const decided = await decide({ ...call, ifReserved, waitedMs });
        if (decided.state === "waits") return "waits";
        // A call that was answered is answered again, whatever can be chosen now.
        if (decided.state === "unchosen")
          return (await repeatKnown(decided)) ?? refuse(decided, decided.refusal);
        // A caller that was just read is stale: the tenant changes faster than it can be read.
        return decided.state === "stale"
          ? refused(call, { reason: "unavailable", retryAfterMs: 1_000 })
          : decided;
      },
    );
  };
