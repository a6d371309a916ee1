/** Fair scheduling: a call takes its turn before it is decided, and keeps it, but for its waits, until it ends. */
import { ok } from "../../domain/result.ts";
import { refused } from "./states/refused.ts";
import type { Decided, Received } from "./states/states.ts";
import type { Door } from "./turns.ts";

export const createInTurn = ({ door }: { door: Pick<Door, "enter"> }) => ({
  begins:
    (decide: (call: Received) => Promise<Decided>) =>
    async (call: Received): Promise<Decided> => {
      const { turn: own } = call.request;
      const entered = own === null ? await door.enter(call.opening.who.tenantId) : ok(own);
      if (!entered.ok) return refused(call, entered.error);
      const decided = await decide({ ...call, turn: entered.value });
      if (decided.state === "refused") entered.value.end();
      return decided;
    },
  ends:
    <Call extends Pick<Received, "turn">, End>(
      run: (call: Call, signal: AbortSignal) => Promise<End>,
    ) =>
    (call: Call, signal: AbortSignal): Promise<End> =>
      run(call, signal).finally(call.turn.end),
});

export type InTurn = ReturnType<typeof createInTurn>;
