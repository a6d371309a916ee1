/** Attempted: providers were called, and one answered or none did. */
import { err } from "../../../domain/result.ts";
import { attemptTimeoutOf } from "../../../domain/choice/attempt-timeout.ts";
import type { AttemptAll } from "../attempts/attempt.ts";
import { providerMessages } from "../attempts/provider-messages.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { HoldLease } from "../streams/leases.ts";
import type { Streams } from "../streams/streams.ts";
import { leaseMsFor, longestDeadlineMs } from "../../../domain/leases.ts";
import { passedOf } from "../request/passed-request.ts";
import type { Admitted, Attempted } from "./states.ts";

export const createAttempting =
  (deps: {
    attempt: AttemptAll;
    streams: Streams;
    holdLease: HoldLease;
    now: () => number;
    forget: (caller: Caller) => void;
  }) =>
  async (call: Admitted, signal: AbortSignal): Promise<Attempted> => {
    const { request, caller, plan, reserved, receipt, observed, blocked, slot } = call;
    const { tenant, credentials, health } = caller.snapshot;
    const { maxTokens } = plan.decision.requirements;
    const messages = providerMessages(tenant.policy, request.server === null ? "caller" : "server");
    const leaseMs = leaseMsFor(reserved.deadlineMs);
    const lease = { tenantId: tenant.id, id: call.opening.id, leaseMs };
    const isLong = request.reader !== undefined || reserved.deadlineMs > longestDeadlineMs;
    const release = isLong ? deps.holdLease(lease) : () => {};
    const streaming = deps.streams.begin({ request, approval: call.approval, signal });
    const attempting = deps.attempt({
      steps: reserved.steps,
      maxAttempts: reserved.maxAttempts,
      held: { tokens: receipt.reservedTokens, microUsd: receipt.reservedMicroUsd },
      blocked: [...blocked, ...reserved.unprobedCircuits],
      call: plan.call,
      ...passedOf(call, plan.call, reserved.limitChecks),
      credentials,
      deadlineMs: streaming?.deadlineMs(tenant.policy) ?? reserved.deadlineMs,
      // A call that tries a circuit finds out whether the provider answers at all, however slowly.
      patienceAt: (place) =>
        reserved.probes.length > 0
          ? null
          : attemptTimeoutOf(health, place, { maxTokens, now: deps.now() }),
      promptCaching: tenant.policy.promptCaching ?? "auto",
      afterContentFilter: tenant.policy.afterContentFilter ?? "stop",
      signal: streaming?.signal ?? signal,
      ...(streaming !== null && { stream: streaming.attempts }),
      begins: observed.begins,
      outside: slot.outside,
      ...messages.listener,
    });
    const made = await attempting.finally(release);
    const ended = streaming?.end() ?? null;
    const answer = ended === null || made.answer.ok ? made.answer : err(ended);
    // The circuit of a provider that failed has changed, and of one that answered when it was tried.
    if (reserved.probes.length > 0 || made.attempts.some(({ fault }) => fault !== null))
      deps.forget(caller);
    return {
      ...call,
      state: "attempted",
      attempts: made.attempts,
      providerMs: made.providerMs,
      circuits: made.circuits,
      refusedKeys: made.refusedKeys,
      answer: messages.withProviderMessages(answer),
      messages: messages.kept(),
    };
  };
