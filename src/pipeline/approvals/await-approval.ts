import type { Idempotency } from "../sampling/request/idempotency.ts";
import { idempotentCallOf, returningCallOf } from "../sampling/request/idempotent-call.ts";
import type { Observe } from "../sampling/request/observe.ts";
import { refused } from "../sampling/states/refused.ts";
import type { Admitted, Held, Joined, Refused } from "../sampling/states/states.ts";
import type { WaitForApproval } from "./wait.ts";

export function createAwaitApproval(deps: {
  waitForApproval: WaitForApproval;
  observe: Observe;
  idempotency: Pick<Idempotency<unknown>, "addKey">;
  sha256Hex: (text: string) => Promise<string>;
  /** Work that a host that ends need not wait for. */
  upkeep: (work: Promise<unknown>) => void;
}) {
  const { waitForApproval, observe, idempotency, sha256Hex, upkeep } = deps;

  const observedApart = (call: Held): Held => {
    const { request, opening, requestId } = call;
    const started = { opening: { ...opening, id: requestId }, authMs: request.authMs };
    return { ...call, observed: observe(started, request.propagated) };
  };

  /** A server that can't be given a key finds its call by asking the same again. */
  const findable = async (call: Held): Promise<void> => {
    const returning = returningCallOf(call);
    if (returning === null) return;
    for (const key of [returning.key, await sha256Hex(call.requestId)])
      await idempotency.addKey(idempotentCallOf(call), key);
  };

  return async (
    call: Held,
    {
      signal,
      finish,
    }: { signal: AbortSignal; finish: (call: Admitted, signal: AbortSignal) => Promise<unknown> },
  ): Promise<Admitted | Joined | Refused> => {
    const isOwn = call.role === "owner";
    const waiting = waitForApproval(isOwn ? call : observedApart(call), signal);
    // On Workers, an invocation ends when its caller leaves, unless it has work left.
    upkeep(waiting);
    const waited = await waiting;
    if (waited.state === "refused") {
      if (waited.refusal.reason === "approval_pending") await findable(call);
      return refused(call, waited.refusal);
    }
    if (waited.state === "taken") {
      if (isOwn) return waited.admitted;
      await finish(waited.admitted, signal);
    }
    return { ...call, state: "joined" };
  };
}
