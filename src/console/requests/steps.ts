/** Durations of a request's steps. Pure, for tests. */
import type { Timing } from "../../domain/audit/record.ts";
import { count, duration } from "../format.ts";
import { nameOf } from "./notes.ts";
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

export type Step = { name: string; from: number; ms: number; kind: "step" | "attempt" | "failed" };

const parts = [
  ["auth", "check the key"],
  ["choose", "choose a model"],
  ["approve", "approval"],
  ["admit", "check limits"],
] as const;

export function pausesOf({ attempts, timing }: Timed): number {
  const called = attempts.reduce((ms, { latencyMs }) => ms + latencyMs, 0);
  return attempts.length < 2 ? 0 : Math.max(0, (timing?.provider ?? 0) - called);
}

function stepsOfAttempt({ latencyMs, fault, stream, ...its }: Attempt): Omit<Step, "from">[] {
  const kind = fault === null ? "attempt" : "failed";
  const name = nameOf(its);
  if (stream === undefined || stream.firstMs === null) return [{ name, ms: latencyMs, kind }];
  const firstMs = Math.min(stream.firstMs, latencyMs);
  return [
    { name: `${name}: first token`, ms: firstMs, kind: "step" },
    { name: `${name}: stream`, ms: latencyMs - firstMs, kind },
  ];
}

type Streamed = Pick<RequestRecord["attempts"][number], "stream" | "latencyMs" | "usage">;

export function streamText({ stream, latencyMs, usage }: Streamed): string {
  if (stream === undefined) return "";
  const { firstMs, status, interruptedBy } = stream;
  const end = status === "complete" ? status : `interrupted by the ${interruptedBy ?? "provider"}`;
  if (firstMs === null) return `${end}, no token`;
  const perSecond = ((usage?.outputTokens ?? 0) * 1_000) / (latencyMs - firstMs);
  const speed = perSecond > 0 && perSecond < Infinity ? `, ${count(perSecond)} tokens/s` : "";
  return `${end}, first token after ${duration(firstMs)}${speed}`;
}

/** The record has only the sum of pauses, shown after the attempts. Steps of less than 1 ms are left out. */
export function stepsOf(record: Timed): Step[] {
  const { attempts, timing, totalMs } = record;
  const called = attempts.map(stepsOfAttempt);
  const isOne = attempts.length === 2;
  const pause = isOne ? "pause" : "pauses between attempts";
  const waited = { name: pause, ms: pausesOf(record), kind: "step" } as const;
  called.splice(isOne ? 1 : attempts.length, 0, [waited]);
  const before = parts.map(
    ([part, name]) => ({ name, ms: timing?.[part] ?? 0, kind: "step" }) as const,
  );
  const steps: Step[] = [];
  let from = 0;
  for (const step of [...before, ...called.flat()]) {
    steps.push({ ...step, from });
    from += step.ms;
  }
  steps.push({ name: "write the record", kind: "step", from, ms: (totalMs ?? 0) - from });
  return steps.filter(({ ms }) => ms > 0);
}
