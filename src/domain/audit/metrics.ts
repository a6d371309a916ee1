/**
 * Follows OpenTelemetry's conventions for generative AI. Attributes never identify keys, users, runs or
 * tags, and identify tenants only if that is enabled.
 */
import type { Attempt } from "../attempts.ts";
import { finishedOperation, providerNameOf, type FinishedRequest } from "./spans.ts";

export interface Instrument {
  name: string;
  kind: "counter" | "histogram" | "gauge";
  /** UCUM */
  unit: string;
  description: string;
  bounds: readonly number[];
}

export type Labels = readonly string[];

export type Note = (instrument: Instrument, value: number, labels: Labels) => void;

const geometricBounds = (first: number, factor: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => first * factor ** at);

const instrument = (
  name: string,
  about: Omit<Instrument, "name" | "bounds"> & { bounds?: readonly number[] },
): Instrument => ({ name, bounds: [], ...about });

/** Source of the bounds of `gen_ai` metrics: OpenTelemetry's "Semantic conventions for generative AI metrics". */
export const tokenUsage = instrument("gen_ai.client.token.usage", {
  kind: "histogram",
  unit: "{token}",
  description: "Input and output tokens of each provider call.",
  bounds: geometricBounds(1, 4, 14),
});
export const operationDuration = instrument("gen_ai.client.operation.duration", {
  kind: "histogram",
  unit: "s",
  description: "Duration of each provider call.",
  bounds: geometricBounds(0.01, 2, 14),
});
export const timeToFirstToken = instrument("gen_ai.server.time_to_first_token", {
  kind: "histogram",
  unit: "s",
  description: "Time to the first content of each streamed provider call.",
  bounds: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
});
export const timePerOutputToken = instrument("gen_ai.server.time_per_output_token", {
  kind: "histogram",
  unit: "s",
  description: "Time per output token after the first, of each complete stream.",
  bounds: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
});
export const requests = instrument("sampling_router.requests", {
  kind: "counter",
  unit: "{request}",
  description: "Sampling requests that ended, by outcome.",
});
export const admissions = instrument("sampling_router.admissions", {
  kind: "counter",
  unit: "{request}",
  description: "Admitted sampling requests that ended.",
});
export const refusals = instrument("sampling_router.refusals", {
  kind: "counter",
  unit: "{request}",
  description: "Sampling requests that were refused or failed, by reason.",
});
export const costUsd = instrument("sampling_router.cost_usd", {
  kind: "counter",
  unit: "{USD}",
  description: "Cost in USD of provider calls with a known price.",
});
export const overhead = instrument("sampling_router.overhead", {
  kind: "histogram",
  unit: "s",
  description: "Duration of each request, without provider calls and waiting for approval.",
  bounds: geometricBounds(0.0005, 2, 14),
});
export const stepDuration = instrument("sampling_router.step.duration", {
  kind: "histogram",
  unit: "s",
  description: "Duration of each step of a request; admit and settle are database time.",
  bounds: geometricBounds(0.0005, 2, 18),
});
export const queueWaiting = instrument("sampling_router.queue.waiting", {
  kind: "gauge",
  unit: "{request}",
  description: "Sampling requests in this process's queue.",
});
export const openExchanges = instrument("sampling_router.open", {
  kind: "gauge",
  unit: "{exchange}",
  description: "Open requests, streams and messages in this process's proxy.",
});
export const databaseWaiting = instrument("sampling_router.database.waiting", {
  kind: "gauge",
  unit: "{statement}",
  description: "Reads and writes that wait for this process's database file.",
});
export const databaseSize = instrument("sampling_router.database.size", {
  kind: "gauge",
  unit: "By",
  description: "Size of this process's database file and its write-ahead log.",
});
export const databaseCommit = instrument("sampling_router.database.commit", {
  kind: "histogram",
  unit: "s",
  description:
    "Duration of each commit to the database file. One commit includes all waiting writes.",
  bounds: geometricBounds(0.0005, 2, 14),
});

export interface DatabaseFigures {
  waiting(): number;
  bytes(): number;
  onCommit(observe: (ms: number) => void): void;
}

const admittedOutcomes: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

function measureStream({ stream, latencyMs, usage }: Attempt, call: Labels, note: Note): void {
  const firstMs = stream?.firstMs ?? null;
  if (firstMs === null) return;
  note(timeToFirstToken, firstMs / 1_000, call);
  const laterTokens = (usage?.outputTokens ?? 0) - 1;
  if (stream?.status === "complete" && laterTokens > 0)
    note(timePerOutputToken, (latencyMs - firstMs) / 1_000 / laterTokens, call);
}

function measureAttempts(finished: FinishedRequest, tenant: Labels, note: Note): void {
  const operation = finishedOperation(finished);
  for (const attempt of finished.ended.attempts) {
    const { provider, model, fault, latencyMs, usage, costMicroUsd } = attempt;
    const call = [
      "gen_ai.operation.name",
      operation,
      "gen_ai.provider.name",
      providerNameOf(provider),
      "gen_ai.request.model",
      model,
      ...tenant,
    ];
    const failed = fault === null ? call : [...call, "error.type", fault];
    note(operationDuration, latencyMs / 1_000, failed);
    measureStream(attempt, call, note);
    if (typeof costMicroUsd === "number") note(costUsd, costMicroUsd / 1e6, call);
    if (usage === null || usage === undefined) continue;
    note(tokenUsage, usage.inputTokens, [...call, "gen_ai.token.type", "input"]);
    note(tokenUsage, usage.outputTokens, [...call, "gen_ai.token.type", "output"]);
  }
}

export function measure(
  finished: FinishedRequest,
  note: Note,
  { tenants }: { tenants: boolean },
): void {
  const { opening, ended } = finished;
  const tenant = tenants ? ["sampling_router.tenant.id", opening.who.tenantId] : [];
  note(requests, 1, ["sampling_router.outcome", ended.outcome, ...tenant]);
  if (ended.refusal !== null) note(refusals, 1, ["error.type", ended.refusal.reason, ...tenant]);
  for (const [step, ms] of Object.entries(ended.timing))
    note(stepDuration, ms / 1_000, ["sampling_router.step", step]);
  if (!admittedOutcomes.has(ended.outcome)) return;
  note(admissions, 1, tenant);
  const { provider = 0, approve = 0 } = ended.timing;
  const ownMs = ended.endedAt - opening.createdAt - provider - approve;
  note(overhead, Math.max(0, ownMs) / 1_000, tenant);
  measureAttempts(finished, tenant, note);
}
