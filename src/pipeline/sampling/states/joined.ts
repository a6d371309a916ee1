/** Joined: another call holds the key, and its result answers this one too. */
import type { FirstCall } from "../../../domain/ports/ledger.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import type { Idempotency } from "../request/idempotency.ts";
import { idempotentCallOf } from "../request/idempotent-call.ts";
import type { Summary } from "../settlement/summary.ts";
import { receivedAs } from "./received.ts";
import { refused, withoutProvider, type Refuse } from "./refused.ts";
import type { Decoded, Held, Joined, Received, Refused, Settled } from "./states.ts";

export type Repeat = (
  call: Decoded,
  first: FirstCall,
  role?: Joined["role"],
) => Promise<Joined | Refused>;

/** Joins the call that holds the key, unless it was made for other content. */
export const createRepeat =
  ({ refuse }: { refuse: Refuse }): Repeat =>
  async (call, { requestId, contentSha256 }, role = "repetition") => {
    const key = idempotentCallOf(call);
    return key === null || contentSha256 !== call.request.content.sha256
      ? refuse(call, { reason: "idempotency_conflict" })
      : { ...call, state: "joined", requestId, limits: [], key, role };
  };

/** Refuses a call for which nothing can be chosen. But a call that was answered is answered again. */
export const createRepeatOrRefuse =
  ({
    idempotency,
    repeat,
    refuse,
  }: {
    idempotency: Pick<Idempotency<unknown>, "find">;
    repeat: Repeat;
    refuse: Refuse;
  }) =>
  async (call: Decoded & { refusal: Refusal }): Promise<Joined | Refused> => {
    const key = idempotentCallOf(call);
    if (key === null) return refuse(call, call.refusal);
    const first = await idempotency.find(key);
    if (!first.ok) return refused(call, first.error);
    return first.value === null ? refuse(call, call.refusal) : repeat(call, first.value);
  };

export type RepeatOrRefuse = ReturnType<typeof createRepeatOrRefuse>;

/** Waits for the result. A call whose key was released meanwhile is decided again. */
export const createJoin =
  ({ idempotency }: { idempotency: Pick<Idempotency<Summary>, "join"> }) =>
  async (call: Joined, signal: AbortSignal): Promise<Settled | Held | Received> => {
    const { key, role, asked, observed, turn } = call;
    const joined = await turn.outside(() => idempotency.join(key, signal));
    if (joined.state === "free") return receivedAs(call);
    if (joined.state === "held") return { ...call, state: "held", requestId: joined.requestId };
    const { recorded } = joined;
    const refusal = recorded.ok ? null : recorded.error;
    return {
      state: "settled",
      answeredBy: role === "repetition" ? joined.answeredBy : "this-call",
      timing: observed.ends({ ...withoutProvider, outcome: "repeated", refusal }),
      outcome: recorded.ok ? ok({ ...recorded.value, call: asked }) : recorded,
    };
  };

export type Join = ReturnType<typeof createJoin>;
