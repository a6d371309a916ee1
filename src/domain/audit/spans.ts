/** Spans and log line, without content. Names follow OpenTelemetry's conventions for generative AI. */
import type { Attempt } from "../attempts.ts";
import type { Opening, Outcome, Timing } from "./record.ts";
import type { Refusal } from "../refusals.ts";
import type { Modality } from "../modality.ts";
import type { StopReason } from "../sampling/call.ts";
import type { Decision } from "../choice/decision.ts";
import type { Attributes, Span } from "./trace.ts";
import type { Usage } from "../usage.ts";

export type Timings = Partial<Timing & { settle: number }>;

export interface Ended {
  /** `repeated`: answered from the recorded result of an earlier call */
  outcome: Exclude<Outcome, "admitted" | "unknown"> | "repeated";
  refusal: Refusal | null;
  attempts: readonly Attempt[];
  answered: { stopReason: StopReason } | null;
  usage: Usage | null;
  /** of all attempts, including those that may not be billed; null: unknown price */
  chargedMicroUsd: number | null;
  timing: Timings;
  endedAt: number;
}

export interface StartedSpan {
  spanId: string;
  startedAt: number;
  server: { address: string; port: number } | null;
}

export interface FinishedRequest {
  opening: Opening;
  decision: Decision | null;
  ended: Ended;
}

/** Provider names of the conventions that differ from ours. */
const providerNames: ReadonlyMap<string, string> = new Map([
  ["google", "gcp.gemini"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
]);

const finishReasons: ReadonlyMap<string, string> = new Map([
  ["endTurn", "stop"],
  ["stopSequence", "stop"],
  ["maxTokens", "length"],
  ["toolUse", "tool_call"],
]);

/** Other stop reasons are provider text, which may contain anything. */
const finishReasonOf = (stopReason: StopReason): string => finishReasons.get(stopReason) ?? "other";

const known = (attributes: Record<string, Attributes[string] | null | undefined>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      (entry): entry is [string, Attributes[string]] => entry[1] !== null && entry[1] !== undefined,
    ),
  );

function outputOf(modalities: readonly Modality[]): Record<string, string> {
  const first = modalities.find((modality) => modality !== "text");
  if (first === undefined) return { "gen_ai.operation.name": "chat" };
  return {
    "gen_ai.operation.name": "generate_content",
    "gen_ai.output.type": first === "audio" ? "speech" : first,
  };
}

export const finishedOperation = ({ opening }: FinishedRequest): string =>
  outputOf(opening.asked?.outputModalities ?? ["text"])["gen_ai.operation.name"] ?? "chat";

export const providerNameOf = (provider: string): string => providerNames.get(provider) ?? provider;

const modelOf = (target: { provider: string; model: string }): Attributes => ({
  "gen_ai.provider.name": providerNameOf(target.provider),
  "gen_ai.request.model": target.model,
});

const answerOf = ({ answered }: Ended, model: string): Attributes =>
  answered === null
    ? {}
    : {
        "gen_ai.response.model": model,
        "gen_ai.response.finish_reasons": [finishReasonOf(answered.stopReason)],
      };

/** The conventions renamed `cache_creation` to `cache_write` in 2026. The figure includes both kinds of writes. */
function usageAttributes(usage: Usage | null | undefined): Attributes {
  if (usage === null || usage === undefined) return {};
  const { classes = {} } = usage;
  const written = (classes.cacheWriteTokens ?? 0) + (classes.cacheWriteHourTokens ?? 0);
  return known({
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": classes.cacheReadTokens,
    "gen_ai.usage.cache_write.input_tokens": written === 0 ? null : written,
    "gen_ai.usage.audio.input_tokens": classes.audioInputTokens,
    "gen_ai.usage.reasoning.output_tokens": classes.reasoningTokens,
    "sampling_router.usage.estimated": usage.estimated,
    "sampling_router.usage.implausible": usage.implausible,
  });
}

const usdOf = (microUsd: number | null | undefined): number | null =>
  microUsd === null || microUsd === undefined ? null : microUsd / 1e6;

const chosenOf = ({
  decision,
  ended,
}: FinishedRequest): { provider: string; model: string } | null =>
  (ended.answered === null ? undefined : ended.attempts.at(-1)) ?? decision;

function requestAttributes(finished: FinishedRequest): Attributes {
  const { opening, decision, ended } = finished;
  const { who, asked } = opening;
  const chosen = chosenOf(finished);
  return {
    ...outputOf(asked?.outputModalities ?? ["text"]),
    ...(chosen === null ? {} : modelOf(chosen)),
    ...(chosen === null ? {} : answerOf(ended, chosen.model)),
    ...usageAttributes(ended.usage),
    ...known({
      "gen_ai.request.max_tokens": asked?.maxTokens,
      "gen_ai.request.temperature": asked?.temperature,
      "error.type": ended.refusal?.reason,
      "mcp.method.name": "sampling/createMessage",
      "mcp.protocol.version": who.revision,
      "sampling_router.request.id": opening.id,
      "sampling_router.tenant.id": who.tenantId,
      "sampling_router.key.id": who.keyId,
      "sampling_router.user.id": who.user,
      "sampling_router.session.id": who.sessionId,
      "sampling_router.server.id": who.serverId,
      "sampling_router.outcome": ended.outcome,
      "sampling_router.attempts": ended.attempts.length,
      "sampling_router.decision.score": decision?.candidates[0]?.score,
      "sampling_router.decision.feasible": decision?.candidates.filter(
        ({ excludedBy }) => excludedBy === undefined,
      ).length,
      "sampling_router.decision.catalogue": decision?.catalogueVersion,
      "sampling_router.estimate.input_tokens": decision?.estimate.inputTokens,
      "sampling_router.cost_usd": usdOf(ended.chargedMicroUsd),
    }),
    ...Object.fromEntries(
      Object.entries(ended.timing).map(([step, ms]) => [`sampling_router.timing.${step}_ms`, ms]),
    ),
  };
}

function attemptAttributes(
  finished: FinishedRequest,
  attempt: Attempt,
  server: StartedSpan["server"],
): Attributes {
  const { opening, decision, ended } = finished;
  return {
    ...outputOf(opening.asked?.outputModalities ?? ["text"]),
    ...modelOf(attempt),
    ...(attempt.fault === null ? answerOf(ended, attempt.model) : {}),
    ...usageAttributes(attempt.usage),
    ...known({
      "gen_ai.request.max_tokens": decision?.requirements.maxTokens,
      "gen_ai.request.temperature": opening.asked?.temperature,
      "server.address": server?.address,
      "server.port": server?.port,
      "http.response.status_code": attempt.status,
      "error.type": attempt.fault,
      "sampling_router.request.id": opening.id,
      "sampling_router.credential.id": attempt.credentialId,
      "sampling_router.retryable": attempt.fault === null ? null : attempt.retryable,
      "sampling_router.retry_after_ms": attempt.retryAfterMs,
      "sampling_router.billed": attempt.billed,
      "sampling_router.cost_usd": usdOf(attempt.costMicroUsd),
    }),
  };
}

export function spansOf(
  finished: FinishedRequest,
  own: { spanId: string; parentSpanId: string | null },
  startedSpans: readonly StartedSpan[],
): Span[] {
  const { opening, ended } = finished;
  const chosen = chosenOf(finished);
  const attributes = requestAttributes(finished);
  const nameOf = (model: string | null): string =>
    [attributes["gen_ai.operation.name"], model].filter((part) => part !== null).join(" ");
  const request: Span = {
    name: nameOf(chosen?.model ?? null),
    kind: "server",
    spanId: own.spanId,
    parentSpanId: own.parentSpanId,
    parentIsRemote: own.parentSpanId !== null,
    startedAt: opening.createdAt,
    endedAt: ended.endedAt,
    failed: ended.refusal !== null,
    attributes,
  };
  const attempts = ended.attempts.flatMap((attempt, index): Span[] => {
    const started = startedSpans[index];
    if (started === undefined) return [];
    return [
      {
        name: nameOf(attempt.model),
        kind: "client",
        spanId: started.spanId,
        parentSpanId: own.spanId,
        parentIsRemote: false,
        startedAt: started.startedAt,
        // Durations and time of day come from different clocks; rounding must not make a call outlast its request.
        endedAt: Math.max(
          started.startedAt,
          Math.min(ended.endedAt, started.startedAt + attempt.latencyMs),
        ),
        failed: attempt.fault !== null,
        attributes: attemptAttributes(finished, attempt, started.server),
      },
    ];
  });
  return [request, ...attempts];
}

export function lineOf(finished: FinishedRequest, traceId: string | null): Record<string, unknown> {
  const { opening, ended } = finished;
  const { who } = opening;
  const chosen = chosenOf(finished);
  return {
    event: "sampling",
    requestId: opening.id,
    tenantId: who.tenantId,
    keyId: who.keyId,
    ...(who.user !== undefined && { userId: who.user }),
    sessionId: who.sessionId,
    serverId: who.serverId,
    outcome: ended.outcome,
    reason: ended.refusal?.reason ?? null,
    provider: chosen?.provider ?? null,
    model: chosen?.model ?? null,
    attempts: ended.attempts.map((attempt) => ({
      provider: attempt.provider,
      model: attempt.model,
      fault: attempt.fault,
      ...(attempt.network !== undefined && { network: attempt.network }),
      status: attempt.status,
      latencyMs: attempt.latencyMs,
      costUsd: usdOf(attempt.costMicroUsd),
    })),
    inputTokens: ended.usage?.inputTokens ?? null,
    outputTokens: ended.usage?.outputTokens ?? null,
    costUsd: usdOf(ended.chargedMicroUsd),
    timingMs: ended.timing,
    totalMs: ended.endedAt - opening.createdAt,
    traceId,
  };
}
