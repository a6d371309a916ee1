/** Tries the reserved candidates until one answers, a fault stops it, or the deadline comes. */
import { checkAnswer } from "../../../domain/sampling/answer-check.ts";
import {
  circuitReaches,
  isKeyRefused,
  isLasting,
  mayPass,
  summaryOf,
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
  type Place,
  type Tried,
} from "../../../domain/choice/failover.ts";
import type { AfterContentFilter } from "../../../domain/choice/policy.ts";
import type { SealedCredential, Vault } from "../../../domain/ports/stores.ts";
import type { ProviderAnswer, Providers } from "../../../domain/sampling/providers.ts";
import type { ReasoningRequest } from "../../../domain/models/reasoning.ts";
import type { PromptCaching } from "../../../domain/sampling/prompt-caching.ts";
import type { Model } from "../../../domain/models/model.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import type { CallTurn } from "../../../domain/sampling/call-turn.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { SamplingCall } from "../../../domain/sampling/call.ts";
import { placeOf } from "../admission/admit.ts";
import { answered, failed, unopenable } from "./attempt-outcome.ts";
import { signalUntil } from "./signal-until.ts";

export interface Attempted {
  attempts: Attempt[];
  /** ms spent in providers, waiting for them included */
  providerMs: number;
  /** what the attempts change in circuits */
  circuits: CircuitChange[];
  refusedKeys: RefusedKey[];
  answer: Result<{ model: Model; answer: ProviderAnswer }, Refusal>;
}

interface Walk {
  /** the reserved candidates: nothing else is called */
  steps: readonly {
    model: Model;
    credentialId: string;
    endpoint: string;
    isHeldTwice?: true;
    reasoning: ReasoningRequest;
    /** tokens of text that it may write */
    maxTokens: number;
    /** what it uses at most */
    tokens: number;
    /** what it costs at most; null: unknown price */
    microUsd: number | null;
  }[];
  maxAttempts: number;
  /** what the call has reserved: no attempt after the first begins beyond it */
  held: { tokens: number; microUsd: number | null };
  /** scopes of circuits that another call tries; candidates behind them come last */
  blocked: readonly string[];
  call: SamplingCall;
  credentials: readonly SealedCredential[];
  deadlineMs: number;
  promptCaching: PromptCaching;
  afterContentFilter: AfterContentFilter;
  /** the caller's own cancellation */
  signal: AbortSignal;
  /** ms after which the first attempt leaves this place for another endpoint; null: nothing is known */
  patienceAt: (place: Place) => number | null;
  /** Lets other calls have the turn while a provider works. */
  outside: CallTurn["outside"];
  /** Takes a provider's message about a failure; absent: nobody keeps it. */
  onMessage?: (said: ProviderMessage) => void;
  /** Called before each provider call. Gives the trace headers of its HTTP request. */
  begins: (credential: SealedCredential) => Record<string, string>;
}

/** One provider call of the walk. */
interface Next {
  model: Model;
  credential: SealedCredential;
  reasoning: ReasoningRequest;
  maxTokens: number;
}

/**
 * The share of the remaining deadline that one attempt may use while other candidates could follow. A provider
 * that hangs must not take the whole call with it.
 */
const shareOfDeadline = 2 / 3;

/** Positions of the candidates that another call is trying. */
const avoidedOf = (places: readonly Place[], blocked: readonly string[]): ReadonlySet<number> =>
  new Set(
    places.flatMap((place, at) =>
      circuitReaches.some((reach) => blocked.includes(scopeOf(reach, place))) ? [at] : [],
    ),
  );

/** A reserved attempt whose credential is known. */
interface OpenStep extends Next, Pick<Walk["steps"][number], "tokens" | "microUsd"> {
  place: Place;
}

type TimedAttempt = Attempt & { endpoint: string; beganAt: number; readAt: number };

interface Tryout {
  attempt: TimedAttempt;
  checked: Result<ProviderAnswer, ProviderFault>;
}

const openStepsOf = ({ steps, credentials }: Walk): OpenStep[] =>
  steps.flatMap((step) => {
    const { model, credentialId, endpoint: _, isHeldTwice: __, ...costing } = step;
    const credential = credentials.find((known) => known.id === credentialId);
    return credential === undefined
      ? []
      : [{ model, credential, place: placeOf(step), ...costing }];
  });

/** Positions of the candidates for which the reservation has too little left, after attempts at these positions. */
const dearOf = (
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

const refusedKeysOf = (attempts: readonly TimedAttempt[]): RefusedKey[] => {
  const refused = attempts.filter(isKeyRefused);
  return [...new Map(refused.map(({ credentialId, readAt }) => [credentialId, readAt]))].map(
    ([credentialId, readAt]) => ({ credentialId, readAt }),
  );
};

/** ms; null: the attempt takes its share of the deadline. */
const patienceOf = (
  { patienceAt }: Walk,
  { place, reasoning }: OpenStep,
  places: readonly Place[],
): number | null =>
  // How long a model reasons depends on the question. Where no other endpoint can answer, waiting is all that is left.
  reasoning.headroom > 0 ||
  reasoning.sent !== null ||
  reasoning.metadata !== "absent" ||
  places.every(({ endpoint }) => endpoint === place.endpoint)
    ? null
    : patienceAt(place);

/** No candidate is left. The last attempt says whether the provider failed or was too slow. */
function exhausted(attempts: readonly Attempt[]): Refusal {
  const waits = attempts.flatMap((attempt) =>
    mayPass(attempt) ? (attempt.retryAfterMs ?? []) : [],
  );
  return {
    reason: attempts.at(-1)?.fault === "timeout" ? "provider_timeout" : "provider_failed",
    attempts: attempts.map(summaryOf),
    ...(waits.length === 0 ? {} : { retryAfterMs: Math.min(...waits) }),
  };
}

export function createAttempt(deps: {
  providers: Providers;
  openKey: (credential: SealedCredential) => ReturnType<Vault["open"]>;
  now: () => number;
  /** ms, for durations */
  elapsed: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Acts after so many ms, unless the function that it gives is called before. */
  after: (ms: number, act: () => void) => () => void;
  /** 0–1 */
  chance: () => number;
}) {
  const { providers, openKey, now, elapsed, wait, after, chance } = deps;

  const callOnce = async (
    walk: Walk,
    { model, credential, reasoning, maxTokens }: Next,
    timeoutMs: number,
  ): Promise<Result<ProviderAnswer, ProviderFault>> => {
    const { provider, tenantId, id, baseUrl } = credential;
    const traceHeaders = walk.begins(credential);
    const opened = await openKey(credential);
    if (!opened.ok) return err(unopenable);
    const { signal, stop } = signalUntil(walk.signal, { ms: timeoutMs, after });
    const completing = providers.complete({
      credential: { id, provider, apiKey: opened.value, baseUrl },
      model,
      call: walk.call,
      maxTokens,
      reasoning,
      ...(walk.promptCaching === "off" ? {} : { cacheScope: { tenantId, credentialId: id } }),
      signal,
      traceHeaders,
      outside: walk.outside,
      ...(walk.onMessage !== undefined && {
        onMessage: (message: string) =>
          walk.onMessage?.({ provider: model.provider, model: model.id, message }),
      }),
    });
    const answer = await completing.finally(stop);
    if (!answer.ok || maxTokens >= walk.call.maxTokens) return answer;
    const note = `maxTokens lowered to ${maxTokens}: this model has no room for more`;
    return ok({ ...answer.value, notes: [...answer.value.notes, note] });
  };

  /** One attempt, as it is recorded, with the answer or the fault. */
  const tryStep = async (walk: Walk, step: OpenStep, timeoutMs: number): Promise<Tryout> => {
    const { model, credential, place } = step;
    const beganAt = now();
    const began = elapsed();
    const called = await callOnce(walk, step, timeoutMs);
    const attempt = {
      provider: model.provider,
      model: model.id,
      credentialId: credential.id,
      endpoint: place.endpoint,
      beganAt,
      readAt: credential.updatedAt,
      latencyMs: elapsed() - began,
    };
    const checked = called.ok ? checkAnswer(called.value, walk.call) : called;
    const outcome = checked.ok ? answered(checked.value) : failed(checked.error);
    return { attempt: { ...attempt, ...outcome }, checked };
  };

  return async (walk: Walk): Promise<Attempted> => {
    const startedAt = elapsed();
    const attempts: TimedAttempt[] = [];
    const tried: Tried[] = [];
    const billed: number[] = [];
    const steps = openStepsOf(walk);
    const places = steps.map(({ place }) => place);
    const avoided = avoidedOf(places, walk.blocked);
    const remaining = (): number => walk.deadlineMs - (elapsed() - startedAt);
    const end = (answer: Attempted["answer"]): Attempted => ({
      attempts: attempts.map(({ endpoint: _, beganAt: __, readAt: ___, ...attempt }) => attempt),
      providerMs: elapsed() - startedAt,
      circuits: circuitChangesOf(attempts),
      refusedKeys: refusedKeysOf(attempts),
      answer,
    });
    let at = nextCandidate(places, tried, { avoided });
    for (let step = at === null ? undefined : steps[at]; step !== undefined && at !== null;) {
      const isLast =
        attempts.length + 1 >= walk.maxAttempts ||
        nextCandidate(places, [...tried, { at, reach: "endpoint" }], {
          avoided,
          dear: dearOf(walk, steps, [...billed, at]),
        }) === null;
      const share = isLast ? 1 : shareOfDeadline;
      const patience = attempts.length === 0 ? patienceOf(walk, step, places) : null;
      const shared = remaining() * share;
      const timeoutMs = Math.max(1, Math.floor(Math.min(shared, patience ?? shared)));
      const { attempt, checked } = await tryStep(walk, step, timeoutMs);
      attempts.push(attempt);
      if (checked.ok) return end(ok({ model: step.model, answer: checked.value }));
      const fault = checked.error;
      if (fault.kind === "cancelled") return end(err({ reason: "cancelled" }));
      const excludes = excludedBy(step.place, fault);
      tried.push({ at, reach: fault.reach, isLasting: isLasting(attempt), ...excludes });
      if (fault.billed !== "no") billed.push(at);
      const next = stepAfter({
        places,
        tried,
        fault,
        most: walk.maxAttempts,
        chance: chance(),
        remainingMs: remaining(),
        avoided,
        dear: dearOf(walk, steps, billed),
        afterContentFilter: walk.afterContentFilter,
      });
      if (next.next === "stop") break;
      if (next.waitMs > 0) await walk.outside(() => wait(next.waitMs, walk.signal));
      if (walk.signal.aborted) return end(err({ reason: "cancelled" }));
      at = next.at;
      step = steps[at];
    }
    return end(err(exhausted(attempts)));
  };
}

export type AttemptAll = ReturnType<typeof createAttempt>;
