import { checkAnswer } from "../../../domain/sampling/answer-check.ts";
import {
  circuitReaches,
  isLasting,
  type Attempt,
  type ProviderFault,
  type RefusedKey,
} from "../../../domain/attempts.ts";
import { circuitChangesOf, scopeOf, type CircuitChange } from "../../../domain/choice/circuits.ts";
import type { ProviderMessage } from "../../../domain/audit/capture.ts";
import {
  excludedBy,
  nextCandidate,
  stepAfter,
  type FailoverTarget,
  type Tried,
} from "../../../domain/choice/failover.ts";
import type { AfterContentFilter } from "../../../domain/choice/policy.ts";
import type { SealedCredential } from "../../../domain/ports/stores.ts";
import type {
  ProviderAnswer,
  ProviderRequest,
  Providers,
} from "../../../domain/sampling/providers.ts";
import type { ReasoningRequest } from "../../../domain/models/reasoning.ts";
import type { PromptCaching } from "../../../domain/sampling/prompt-caching.ts";
import type { Model } from "../../../domain/models/model.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import type { CallSlot } from "../../../domain/sampling/call-slot.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { SamplingCall } from "../../../domain/sampling/call.ts";
import { targetOf } from "../admission/admit.ts";
import type { ProviderKeys } from "../../provider-keys.ts";
import { atPlace } from "./at-place.ts";
import { answered, exhausted, failed, refusedKeysOf } from "./attempt-outcome.ts";
import type { AttemptStreams } from "./attempt-streams.ts";
import { signalUntil } from "./signal-until.ts";
import { withKey } from "./with-key.ts";

export interface AttemptsMade {
  attempts: Attempt[];
  /** ms in providers, including queues */
  providerMs: number;
  circuits: CircuitChange[];
  refusedKeys: RefusedKey[];
  answer: Result<{ model: Model; answer: ProviderAnswer }, Refusal>;
}

interface Walk {
  steps: readonly {
    model: Model;
    credentialId: string;
    endpoint: string;
    isReservedTwice?: true;
    reasoning: ReasoningRequest;
    /** text tokens */
    maxTokens: number;
    tokens: number;
    microUsd: number | null;
  }[];
  maxAttempts: number;
  held: { tokens: number; microUsd: number | null };
  /** circuits probed by other calls; their candidates come last */
  blocked: readonly string[];
  call: SamplingCall;
  /** what candidates are sent that speak the wire of the request; absent: each is sent the call */
  passed?: NonNullable<Parameters<Providers["complete"]>[0]["passed"]>;
  credentials: readonly SealedCredential[];
  deadlineMs: number;
  promptCaching: PromptCaching;
  afterContentFilter: AfterContentFilter;
  signal: AbortSignal;
  /** ms after which the first attempt moves to another endpoint; `null` if unknown */
  patienceAt: (target: FailoverTarget) => number | null;
  /** Releases the scheduling slot while a provider works. */
  outside: CallSlot["outside"];
  /** absent: the answer is requested as a whole */
  stream?: AttemptStreams;
  onMessage?: (providerMessage: ProviderMessage) => void;
  /** Returns the trace headers of the HTTP request. */
  begins: (credential: SealedCredential) => Record<string, string>;
}

interface Next {
  model: Model;
  credential: SealedCredential;
  reasoning: ReasoningRequest;
  maxTokens: number;
}

/** Of the remaining deadline, while other attempts may follow a hanging provider. */
const shareOfDeadline = 2 / 3;

const avoidedOf = (
  targets: readonly FailoverTarget[],
  blocked: readonly string[],
): ReadonlySet<number> =>
  new Set(
    targets.flatMap((target, at) =>
      circuitReaches.some((reach) => blocked.includes(scopeOf(reach, target))) ? [at] : [],
    ),
  );

interface OpenStep extends Next, Pick<Walk["steps"][number], "tokens" | "microUsd"> {
  target: FailoverTarget;
}

type TimedAttempt = Attempt & { endpoint: string; beganAt: number; readAt: number };

interface Tryout {
  attempt: Attempt;
  timed: TimedAttempt;
  checked: Result<ProviderAnswer, ProviderFault>;
}

const openStepsOf = ({ steps, credentials }: Walk): OpenStep[] =>
  steps.flatMap((step) => {
    const { model, credentialId, reasoning, maxTokens, tokens, microUsd } = step;
    const credential = credentials.find((known) => known.id === credentialId);
    if (credential === undefined) return [];
    const target = targetOf(step);
    return [{ model, credential, target, reasoning, maxTokens, tokens, microUsd }];
  });

const unaffordableOf = (
  { held }: Walk,
  steps: readonly OpenStep[],
  billed: readonly number[],
): ReadonlySet<number> => {
  const spent = billed.reduce((sum, at) => sum + (steps[at]?.microUsd ?? 0), 0);
  return new Set(
    steps.flatMap(({ microUsd, tokens }, at) =>
      tokens > held.tokens || (held.microUsd !== null && spent + (microUsd ?? 0) > held.microUsd)
        ? [at]
        : [],
    ),
  );
};

/** `null`: the attempt gets its share of the deadline. */
const patienceOf = (
  { patienceAt }: Walk,
  { target, reasoning }: OpenStep,
  targets: readonly FailoverTarget[],
): number | null =>
  // Reasoning time varies. Without another endpoint, waiting is the only option.
  reasoning.headroom > 0 ||
  reasoning.sent !== null ||
  reasoning.metadata !== "absent" ||
  targets.every(({ endpoint }) => endpoint === target.endpoint)
    ? null
    : patienceAt(target);

export function createAttempt(deps: {
  providers: Providers;
  providerKeys: ProviderKeys;
  now: () => number;
  elapsed: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  after: (ms: number, act: () => void) => () => void;
  chance: () => number;
}) {
  const { providers, providerKeys, now, elapsed, wait, after, chance } = deps;

  const complete = async (
    { stream, outside }: Walk,
    request: ProviderRequest,
    timeoutMs: number,
  ): Promise<Result<ProviderAnswer, ProviderFault>> => {
    if (stream !== undefined) return outside(() => stream.attempt(request, timeoutMs));
    const { signal, stop } = signalUntil(request.signal, { ms: timeoutMs, after });
    return providers.complete({ ...request, signal }).finally(stop);
  };

  const callOnce = async (
    walk: Walk,
    { model, credential, reasoning, maxTokens }: Next,
    timeoutMs: number,
  ): Promise<Result<ProviderAnswer, ProviderFault>> => {
    const { tenantId, id } = credential;
    const traceHeaders = walk.begins(credential);
    const asked = {
      model,
      call: walk.call,
      ...(walk.passed !== undefined && { passed: walk.passed }),
      maxTokens,
      reasoning,
      ...(walk.promptCaching === "off" ? {} : { cacheScope: { tenantId, credentialId: id } }),
      traceHeaders,
      signal: walk.signal,
      outside: walk.outside,
      ...(walk.onMessage !== undefined && {
        onMessage: (message: string) =>
          walk.onMessage?.({ provider: model.provider, model: model.id, message }),
      }),
    };
    const answer = await withKey(providerKeys, credential, {
      call: (key) => complete(walk, { ...asked, credential: key }, timeoutMs),
      isGivenOut: () => walk.stream?.isGivenOut() === true,
    });
    if (!answer.ok || maxTokens >= walk.call.maxTokens) return answer;
    const note = `maxTokens lowered to ${maxTokens}: this model has no room for more`;
    return ok({ ...answer.value, notes: [...answer.value.notes, note] });
  };

  const tryStep = async (walk: Walk, step: OpenStep, timeoutMs: number): Promise<Tryout> => {
    const { model, credential, target } = step;
    const beganAt = now();
    const began = elapsed();
    const called = atPlace(await callOnce(walk, step, timeoutMs), { ...walk, ...step });
    const attempt = {
      provider: model.provider,
      model: model.id,
      credentialId: credential.id,
      latencyMs: elapsed() - began,
    };
    const checked = called.ok ? checkAnswer(called.value, walk.call) : called;
    const outcome = checked.ok ? answered(checked.value) : failed(checked.error);
    const streamEnd = walk.stream?.takeEnd() ?? null;
    const streamed = streamEnd === null ? {} : { stream: streamEnd };
    // What was given out can't be shortened any more.
    const given = checked.ok && walk.stream?.isGivenOut() === true ? called : checked;
    const made = { ...attempt, ...outcome, ...streamed };
    const timed = { ...made, endpoint: target.endpoint, beganAt, readAt: credential.updatedAt };
    return { attempt: made, timed, checked: given };
  };

  /** @returns ms, including the queue after it */
  const pause = async ({ outside, signal }: Walk, ms: number): Promise<number> => {
    const from = elapsed();
    if (ms > 0) await outside(() => wait(ms, signal));
    return elapsed() - from;
  };

  return async (walk: Walk): Promise<AttemptsMade> => {
    const startedAt = elapsed();
    const attempts: Attempt[] = [];
    const timedAttempts: TimedAttempt[] = [];
    const tried: Tried[] = [];
    const billed: number[] = [];
    const steps = openStepsOf(walk);
    const targets = steps.map(({ target }) => target);
    const avoided = avoidedOf(targets, walk.blocked);
    const remaining = (): number => walk.deadlineMs - (elapsed() - startedAt);
    const end = (answer: AttemptsMade["answer"]): AttemptsMade => ({
      attempts,
      providerMs: elapsed() - startedAt,
      circuits: circuitChangesOf(timedAttempts),
      refusedKeys: refusedKeysOf(timedAttempts),
      answer,
    });
    let waitedMs = 0;
    let at = nextCandidate(targets, tried, { avoided });
    for (let step = at === null ? undefined : steps[at]; step !== undefined && at !== null;) {
      const isLast =
        attempts.length + 1 >= walk.maxAttempts ||
        nextCandidate(targets, [...tried, { at, reach: "endpoint" }], {
          avoided,
          unaffordable: unaffordableOf(walk, steps, [...billed, at]),
        }) === null;
      const patience = attempts.length === 0 ? patienceOf(walk, step, targets) : null;
      const shared = remaining() * (isLast ? 1 : shareOfDeadline);
      const timeoutMs = Math.max(1, Math.floor(Math.min(shared, patience ?? shared)));
      const { attempt, timed, checked } = await tryStep(walk, step, timeoutMs);
      attempts.push(waitedMs > 0 ? { ...attempt, waitedMs } : attempt);
      timedAttempts.push(timed);
      if (checked.ok) return end(ok({ model: step.model, answer: checked.value }));
      const fault = checked.error;
      if (fault.kind === "cancelled") return end(err({ reason: "cancelled" }));
      if (walk.stream?.isGivenOut() === true) break;
      const excludes = excludedBy(step.target, fault);
      tried.push({ at, reach: fault.reach, isLasting: isLasting(attempt), ...excludes });
      if (fault.billed !== "no") billed.push(at);
      const next = stepAfter({
        targets,
        tried,
        fault,
        max: walk.maxAttempts,
        chance: chance(),
        remainingMs: remaining(),
        avoided,
        unaffordable: unaffordableOf(walk, steps, billed),
        afterContentFilter: walk.afterContentFilter,
      });
      if (next.next === "stop") break;
      waitedMs = await pause(walk, next.waitMs);
      if (walk.signal.aborted) return end(err({ reason: "cancelled" }));
      at = next.at;
      step = steps[at];
    }
    return end(err(exhausted(attempts)));
  };
}

export type AttemptAll = ReturnType<typeof createAttempt>;
