/** Joined: another call holds the key, and its result answers this one too. */
import type { FirstCall } from "../../../domain/ports/ledger.ts";
import { ok } from "../../../domain/result.ts";
import type { Idempotency } from "../request/idempotency.ts";
import { idempotentCallOf } from "../request/idempotent-call.ts";
import type { Summary } from "../settlement/summary.ts";
import { receivedAs } from "./received.ts";
import { refused, withoutProvider, type Refuse } from "./refused.ts";
import type { Decoded, Held, Joined, Received, Refused, Settled } from "./states.ts";

export type Repeat = (
  call: Decoded,
  first: FirstCall & { role?: Joined["role"] },
) => Promise<Joined | Refused>;

export const createRepeat =
  ({ refuse }: { refuse: Refuse }): Repeat =>
  async (call, { requestId, contentSha256, role = "repetition" }) => {
    const { replayKey, request } = call;
    return replayKey === null || contentSha256 !== request.content.sha256
      ? refuse(call, { reason: "idempotency_conflict" })
      : { ...call, state: "joined", requestId, limits: [], replayKey, role };
  };

export type RepeatKnown = (call: Decoded) => Promise<Joined | Refused | null>;

export const createRepeatKnown =
  ({
    idempotency,
    repeat,
  }: {
    idempotency: Pick<Idempotency<unknown>, "find">;
    repeat: Repeat;
  }): RepeatKnown =>
  async (call) => {
    const key = idempotentCallOf(call);
    const first = key === null ? ok(null) : await idempotency.find(key);
    if (!first.ok) return refused(call, first.error);
    return first.value === null ? null : repeat(call, first.value);
  };

/** Waits for the result. A call whose key was released meanwhile is decided again. */
export const createJoin =
  ({ idempotency }: { idempotency: Pick<Idempotency<Summary>, "join"> }) =>
  async (call: Joined, signal: AbortSignal): Promise<Settled | Held | Received> => {
    const { role, asked, observed, slot } = call;
    const joined = await slot.outside(() => idempotency.join(idempotentCallOf(call), signal));
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
