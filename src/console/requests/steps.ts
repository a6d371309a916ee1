/** Durations of a request's steps. Pure, for tests. */
import type { Timing } from "../../domain/audit/record.ts";
import { duration } from "../format.ts";
import type { RequestRecord } from "./record.ts";

type Attempt = Pick<
  RequestRecord["attempts"][number],
  "provider" | "model" | "latencyMs" | "fault" | "stream"
>;
export interface Timed {
  timing: Partial<Timing> | null;
  totalMs: number | null;
  attempts: readonly Attempt[];
}

export interface Step {
  name: string;
  from: number;
  ms: number;
  kind: "step" | "attempt" | "failed";
}

const order = ["auth", "choose", "approve", "admit"] as const;
const titles = {
  auth: "check the key",
  choose: "choose a model",
  approve: "approval",
  admit: "check limits",
} as const;

export function pausesOf(record: Timed): number {
  const { attempts } = record;
  const provider = record.timing?.provider;
  const called = attempts.reduce((ms, { latencyMs }) => ms + latencyMs, 0);
  return attempts.length < 2 || provider === undefined ? 0 : Math.max(0, provider - called);
}

function stepsOfAttempt({
  provider,
  model,
  latencyMs,
  fault,
  stream,
}: Attempt): Omit<Step, "from">[] {
  const kind = fault === null ? "attempt" : "failed";
  const name = `${provider}/${model}`;
  const firstMs = Math.min(stream?.firstMs ?? latencyMs, latencyMs);
  if (stream === undefined || stream.firstMs === null) return [{ name, ms: latencyMs, kind }];
  return [
    { name: `${name}: first token`, ms: firstMs, kind: "step" },
    { name: `${name}: stream`, ms: latencyMs - firstMs, kind },
  ];
}

export function streamText({
  stream,
  latencyMs,
  usage,
}: Pick<RequestRecord["attempts"][number], "stream" | "latencyMs" | "usage">): string {
  if (stream === undefined) return "";
  const { firstMs, status, interruptedBy } = stream;
  const end =
    status === "interrupted" ? `interrupted by the ${interruptedBy ?? "provider"}` : "complete";
  if (firstMs === null) return `${end}, no token`;
  const streamedMs = latencyMs - firstMs;
  const tokens = usage?.outputTokens ?? 0;
  const speed =
    streamedMs > 0 && tokens > 0 ? `, ${Math.round((tokens * 1_000) / streamedMs)} tokens/s` : "";
  return `${end}, first token after ${duration(firstMs)}${speed}`;
}

/** The record has only the sum of pauses, shown after the attempts. */
export function stepsOf(record: Timed): Step[] {
  const timing = record.timing ?? {};
  const { attempts } = record;
  const pause = {
    name: attempts.length === 2 ? "pause" : "pauses between attempts",
    ms: pausesOf(record),
    kind: "step",
  } as const;
  let from = 0;
  const steps: Step[] = [];
  const add = (step: Omit<Step, "from">): void => {
    steps.push({ ...step, from });
    from += step.ms;
  };
  for (const name of order)
    if (timing[name] !== undefined) add({ name: titles[name], ms: timing[name], kind: "step" });
  const pauseBefore = attempts.length === 2 ? 1 : attempts.length;
  for (const [at, attempt] of attempts.entries()) {
    if (at === pauseBefore && pause.ms > 0) add(pause);
    for (const step of stepsOfAttempt(attempt)) add(step);
  }
  if (pauseBefore === attempts.length && pause.ms > 0) add(pause);
  if (record.totalMs !== null && record.totalMs > from)
    add({ name: "write the record", ms: record.totalMs - from, kind: "step" });
  return steps;
}
