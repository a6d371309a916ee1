/**
 * The product on one screen: choose → admit → attempt → settle. `sample` ends with the admission, so that a
 * surface can send its headers. `run` is the provider's part, and always settles.
 */
import type { LimitState } from "../../domain/limits/holds.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Timings } from "../../domain/audit/spans.ts";
import type { DigestContent } from "./request/request-content.ts";
import { openingOf, type UnreadRequest } from "./request/sampling-request.ts";
import type { Decide } from "./decide.ts";
import type { Decided } from "./decided.ts";
import { idempotentCallOf, returningCallOf } from "./request/idempotent-call.ts";
import type { StartedCall } from "./request/started-call.ts";
import type { EndedCall, Finish } from "./settlement/finish.ts";
import type { Summary } from "./settlement/summary.ts";
import type { WaitForApproval } from "../approvals/wait.ts";
import type { Idempotency, Joined } from "./request/idempotency.ts";
import type { Observation, Observe } from "./request/observe.ts";
import type { Door } from "./turns.ts";

export interface Sampled {
  requestId: string;
  limits: LimitState[];
  /** ms of each step so far */
  timing: Timings;
  /** the rest of the call, to be run once; or why there is none */
  outcome: Result<(signal: AbortSignal) => Promise<EndedCall>, Refusal>;
}

/** Nobody was called. */
const untouched = { attempts: [], answered: null, usage: null, chargedMicroUsd: 0, timing: {} };

const endRefused = (observed: Observation, refusal: Refusal): EndedCall => ({
  answeredBy: "this-call",
  timing: observed.ends({ ...untouched, outcome: "refused", refusal }),
  outcome: err(refusal),
});

const endRepeated = (
  observed: Observation,
  { call }: Decided & { state: "repeated" | "held" },
  { answeredBy, recorded }: Joined<Summary> & { state: "done" },
): EndedCall => ({
  answeredBy,
  timing: observed.ends({
    ...untouched,
    outcome: "repeated",
    refusal: recorded.ok ? null : recorded.error,
  }),
  outcome: recorded.ok ? ok({ ...recorded.value, call }) : recorded,
});

/** A call that ran and whose result waits for a person, as one whose request waits. */
function heldAs(
  { request, opening }: StartedCall,
  { admitted, requestId, limits }: Decided & { state: "admitted" },
): (Decided & { state: "held" }) | null {
  const { replayKey } = admitted.request;
  const first = idempotentCallOf(admitted.request);
  if (replayKey === null || first === null) return null;
  return {
    state: "held",
    requestId,
    limits,
    first,
    call: admitted.plan.call,
    replayKey,
    idempotencyKey: request.replayKey === null ? opening.id : null,
  };
}

export function createSample(deps: {
  decide: Decide;
  finish: Finish;
  idempotency: Pick<Idempotency<Summary>, "join" | "addKey">;
  observe: Observe;
  waitForApproval: WaitForApproval;
  /** admissions take turns, by tenant */
  door: Pick<Door, "enter">;
  ids: Ids;
  digestContent: DigestContent;
  sha256Hex: (text: string) => Promise<string>;
  /** Work that outlives the caller. */
  background: (work: Promise<unknown>) => void;
  /** The same, for work that a host that ends need not wait for. */
  upkeep: (work: Promise<unknown>) => void;
}) {
  const { decide, finish, idempotency, observe, waitForApproval, door, ids, background } = deps;
  const { digestContent, sha256Hex, upkeep } = deps;

  /** Waits until a person has decided, and then runs the call. null: its replay key says how it goes on. */
  const runHeld = async (
    started: StartedCall,
    decided: Decided & { state: "held" | "repeated" },
    { requestId, signal }: { requestId: string; signal: AbortSignal },
  ): Promise<EndedCall | null> => {
    const { request, opening } = started;
    const isOwn = decided.state === "held";
    const returning = returningCallOf(request);
    const waiting = waitForApproval({
      // Somebody else's call is observed as that call, beside this one.
      started: isOwn
        ? started
        : {
            ...started,
            observed: observe(
              { opening: { ...opening, id: requestId }, authMs: request.authMs },
              request.propagated,
            ),
          },
      call: decided.call,
      requestId,
      replayKey: isOwn ? decided.replayKey : request.replayKey,
      // A server's own key is an id, under which it can't ask again.
      idempotencyKey: returning !== null ? requestId : isOwn ? decided.idempotencyKey : null,
      signal,
      leaving: isOwn ? "withdraws" : "leaves-it-waiting",
    });
    // A caller that leaves ends its invocation, unless work is left in it.
    upkeep(waiting);
    const waited = await waiting;
    if (waited.state === "over") return null;
    if (waited.state === "refused") {
      // A server that can't be told is one that asks anew.
      if (waited.refusal.reason === "approval_pending" && returning !== null)
        for (const key of [returning.key, await sha256Hex(requestId)])
          await idempotency.addKey(decided.first, key);
      return endRefused(started.observed, waited.refusal);
    }
    const work = finish(waited.admitted, signal);
    background(work);
    const ended = await work;
    return isOwn && ended.isHeld !== true ? ended : null;
  };

  /** Ends the call as it was decided. A repetition whose first call set the key free is decided anew. */
  const run = async (
    started: StartedCall,
    first: Decided,
    signal: AbortSignal,
  ): Promise<EndedCall> => {
    const { observed, turn } = started;
    for (let decided = first; ;) {
      if (decided.state === "refused") return endRefused(observed, decided.refusal);
      if (decided.state === "admitted") {
        const work = finish(decided.admitted, signal);
        background(work);
        const ended = await work;
        const held = ended.isHeld === true ? heldAs(started, decided) : null;
        if (held === null) return ended;
        decided = held;
      }
      const repeated = decided.first;
      const joined = await turn.outside(() => idempotency.join(repeated, signal));
      if (joined.state === "done")
        return decided.state === "held" || decided.returns === true
          ? { ...endRepeated(observed, decided, joined), answeredBy: "this-call" }
          : endRepeated(observed, decided, joined);
      if (joined.state === "free") decided = await decide(started);
      else {
        const { requestId } = joined;
        const ended = await runHeld(started, decided, { requestId, signal });
        if (ended !== null) return ended;
      }
    }
  };

  return async (unread: UnreadRequest): Promise<Sampled> => {
    const content = await digestContent(unread.content);
    const request = { ...unread, content, bytes: unread.bytes ?? content.bytes };
    const opening = openingOf(request, ids.next("request"));
    const observed = observe({ opening, authMs: request.authMs }, request.propagated);
    const refuse = (refusal: Refusal, limits: LimitState[]): Sampled => {
      const { timing } = endRefused(observed, refusal);
      return { requestId: opening.id, limits, timing, outcome: err(refusal) };
    };
    const entered =
      request.turn === null ? await door.enter(opening.who.tenantId) : ok(request.turn);
    if (!entered.ok) return refuse(entered.error, []);
    const turn = entered.value;
    const started = { request, opening, observed, turn };
    const decided = await decide(started);
    const { requestId, limits } = decided;
    if (decided.state === "refused") {
      turn.end();
      return refuse(decided.refusal, limits);
    }
    return {
      requestId,
      limits,
      timing: { auth: request.authMs },
      outcome: ok((signal) => run(started, decided, signal).finally(turn.end)),
    };
  };
}

export type Sample = ReturnType<typeof createSample>;
