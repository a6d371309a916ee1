/**
 * The product on one screen: choose → admit → attempt → settle. `start` ends with the admission,
 * so that a surface can send its headers; `finish` is the provider's part, and always settles.
 */
import { askedOf, detailOf, type Opening, type Timing } from "../domain/audit.ts";
import { captureOf } from "../domain/capture.ts";
import { inputModalitiesOf } from "../domain/estimate.ts";
import type { Ids } from "../domain/ids.ts";
import { nameOfLimit, type LimitState } from "../domain/limits.ts";
import { nameOf } from "../domain/models.ts";
import type { ServerPolicy } from "../domain/policy.ts";
import type { Ledger } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { SamplingAnswer, SamplingCall } from "../domain/sampling.ts";
import type { Timings } from "../domain/spans.ts";
import type { Propagated } from "../domain/trace.ts";
import { costMicroUsd } from "../domain/usage.ts";
import { reservationOf, type createAdmit, type Reserved } from "./admit.ts";
import type { AttemptAll } from "./attempt.ts";
import type { Caller } from "./authenticate.ts";
import type { Cancellation } from "./cancel.ts";
import type { Chooser, Declared, Planned } from "./choose.ts";
import type { Observation, Observe } from "./observe.ts";
import { outcomeOf, type Settle } from "./settle.ts";

export interface Arrival {
  caller: Caller;
  /** The caller once more, from the database: the first may have come from memory. */
  again: () => Promise<Result<Caller, Refusal>>;
  call: Result<SamplingCall, Refusal>;
  /** of the caller as it is now */
  declaredBy: (caller: Caller) => Declared;
  client: { name: string | null; version: string | null; revision: string | null };
  /** the registered server that asks, through the proxy; null: the caller asks for itself */
  server: { id: string; policy: ServerPolicy } | null;
  /** the tool that was being called, where the stream told it */
  tool: string | null;
  /** the JSON-RPC id, as JSON, by which a session can take the call back; null: it can't */
  messageId: string | null;
  contentSha256: string;
  bytes: number;
  /** the params as they came, for a policy that captures */
  content: () => string;
  startedAt: number;
  authMs: number;
  /** the trace that the caller is in */
  propagated: Propagated;
}

export interface Finished {
  answer: SamplingAnswer;
  call: SamplingCall;
  decision: {
    requestId: string;
    provider: string;
    model: string;
    attempts: number;
    usage: { inputTokens: number; outputTokens: number };
    costUsd: number | null;
    notes: string[];
    timingMs: Timing & { settle: number };
  };
}

export interface Started {
  requestId: string;
  limits: LimitState[];
  /** ms of each step so far */
  timing: () => Timings;
  outcome: Result<(signal: AbortSignal) => Promise<Result<Finished, Refusal>>, Refusal>;
}

type Begun = Omit<Started, "timing">;

interface Admitted {
  caller: Caller;
  plan: Planned;
  reserved: Reserved;
  opening: Opening;
  observed: Observation;
  arrival: Arrival;
  chooseMs: number;
  admitMs: number;
}

export function createSample(deps: {
  chooser: Chooser;
  admit: ReturnType<typeof createAdmit>;
  attempt: AttemptAll;
  settle: Settle;
  observe: Observe;
  cancellation: Cancellation;
  ledger: Ledger;
  ids: Ids;
  now: () => number;
  /** What this isolate remembers of a caller is out of date. */
  forget: (caller: Caller) => void;
  /** Work that outlives the caller. */
  background: (work: Promise<unknown>) => void;
}) {
  const { chooser, admit, attempt, settle, observe, cancellation, ledger, ids, now } = deps;
  const { forget, background } = deps;

  const openingOf = (arrival: Arrival): Opening => ({
    id: ids.next("request"),
    who: {
      tenantId: arrival.caller.snapshot.tenant.id,
      keyId: arrival.caller.snapshot.key.id,
      sessionId: arrival.caller.session?.id ?? null,
      serverId: arrival.server?.id ?? null,
      tool: arrival.tool,
      clientName: arrival.client.name,
      clientVersion: arrival.client.version,
      revision: arrival.client.revision,
    },
    createdAt: arrival.startedAt,
    asked: arrival.call.ok
      ? askedOf(arrival.call.value, arrival.bytes, inputModalitiesOf(arrival.call.value))
      : null,
    contentSha256: arrival.contentSha256,
  });

  /** A refusal before admission has its record too; if that can't be written, nothing is answered. */
  const refuse = async (opening: Opening, refusal: Refusal): Promise<Begun> => {
    const recorded = await ledger.refuse(opening, refusal.reason, detailOf(refusal), null);
    return {
      requestId: opening.id,
      limits: [],
      outcome: err(recorded.ok ? refusal : recorded.error),
    };
  };

  const finish = async (
    admitted: Admitted,
    signal: AbortSignal,
  ): Promise<Result<Finished, Refusal>> => {
    const { arrival, caller, plan, reserved, opening, observed } = admitted;
    const { call } = plan;
    const { tenant, credentials } = caller.snapshot;
    const { session } = caller;
    const watch =
      session === null || arrival.messageId === null
        ? null
        : cancellation.watch(
            { tenantId: tenant.id, sessionId: session.id, messageId: arrival.messageId },
            arrival.startedAt,
          );
    const { attempts, providerMs, answer } = await attempt({
      plan,
      call,
      credentials,
      deadlineMs: reserved.deadlineMs,
      signal: watch === null ? signal : AbortSignal.any([signal, watch.signal]),
      begins: observed.begins,
    });
    watch?.stop();
    // A provider that failed has another circuit now.
    if (attempts.some(({ fault }) => fault !== null)) forget(caller);
    const got = answer.ok ? answer.value : null;
    const usage = got?.answer.usage ?? null;
    const cost = got === null ? null : costMicroUsd(got.model, got.answer.usage);
    const timing: Timing = {
      auth: arrival.authMs,
      choose: admitted.chooseMs,
      approve: 0,
      admit: admitted.admitMs,
      provider: providerMs,
    };
    const settlingAt = now();
    await settle({
      id: opening.id,
      tenantId: tenant.id,
      reserved,
      attempts,
      refusal: answer.ok ? null : answer.error,
      model: got === null ? null : nameOf(got.model),
      usage,
      costMicroUsd: cost,
      timing,
      totalMs: settlingAt - arrival.startedAt,
      content:
        tenant.policy.capture === "full"
          ? captureOf(arrival.content(), got?.answer.content ?? null)
          : null,
    });
    const settled = { ...timing, settle: now() - settlingAt };
    observed.ends({
      outcome: outcomeOf(answer.ok ? null : answer.error),
      refusal: answer.ok ? null : answer.error,
      attempts,
      answered:
        got === null
          ? null
          : {
              stopReason: got.answer.stopReason,
              usage: got.answer.usage,
              costMicroUsd: cost,
            },
      timing: settled,
    });
    if (got === null) return answer as Result<never, Refusal>;
    const { content, stopReason, providerStopReason, notes } = got.answer;
    return ok({
      call,
      answer: {
        content,
        stopReason,
        model: nameOf(got.model),
        ...(providerStopReason === null ? {} : { providerStopReason }),
      },
      decision: {
        requestId: opening.id,
        provider: got.model.provider,
        model: got.model.id,
        attempts: attempts.length,
        usage: {
          inputTokens: got.answer.usage.inputTokens,
          outputTokens: got.answer.usage.outputTokens,
        },
        costUsd: cost === null ? null : cost / 1e6,
        notes: [...plan.decision.notes, ...notes],
        timingMs: settled,
      },
    });
  };

  const begin = async (
    arrival: Arrival,
    opening: Opening,
    observed: Observation,
  ): Promise<Begun> => {
    if (!arrival.call.ok) return refuse(opening, arrival.call.error);
    const call = arrival.call.value;
    let caller = arrival.caller;
    for (let fresh = !caller.warm; ; fresh = true) {
      const choosingAt = now();
      const plan = chooser.plan(call, caller.snapshot, arrival.declaredBy(caller));
      const admittingAt = now();
      if (plan.ok) {
        observed.chose(plan.value.decision);
        const reserved = reservationOf(plan.value, caller, admittingAt);
        const admission = await admit(plan.value, reserved, caller, opening, admittingAt);
        const about = (limits: LimitState[], outcome: Started["outcome"]): Begun => ({
          requestId: opening.id,
          limits,
          outcome,
        });
        if (!admission.ok) return about([], err(admission.error));
        if (admission.value.state === "refused") {
          const { hold, retryAfterMs, limits } = admission.value;
          return about(
            limits,
            err({ reason: "rate_limited", limit: nameOfLimit(hold), retryAfterMs }),
          );
        }
        if (admission.value.state === "admitted") {
          const admitted: Admitted = {
            caller,
            plan: plan.value,
            reserved,
            opening,
            observed,
            arrival,
            chooseMs: admittingAt - choosingAt,
            admitMs: now() - admittingAt,
          };
          return about(
            admission.value.limits,
            ok((signal) => {
              const work = finish(admitted, signal);
              background(work);
              return work;
            }),
          );
        }
        // Stale twice: somebody changes the tenant faster than it can be read.
        if (fresh) return about([], err({ reason: "unavailable", retryAfterMs: 1_000 }));
      } else if (fresh) return refuse(opening, plan.error);
      const again = await arrival.again();
      if (!again.ok) return { requestId: opening.id, limits: [], outcome: again };
      caller = again.value;
    }
  };

  return async (arrival: Arrival): Promise<Started> => {
    const opening = openingOf(arrival);
    const observed = observe({ opening, authMs: arrival.authMs }, arrival.propagated);
    const begun = await begin(arrival, opening, observed);
    if (!begun.outcome.ok) {
      const refusal = begun.outcome.error;
      observed.ends({ outcome: "refused", refusal, attempts: [], answered: null, timing: {} });
    }
    return { ...begun, timing: observed.timing };
  };
}

export type Sample = ReturnType<typeof createSample>;
