/** Durations of a request's steps. Pure, for tests. */
import type { Timing } from "../../domain/audit/record.ts";
import { count, duration } from "../format.ts";
import { nameOf } from "./notes.ts";
import type { RequestRecord } from "./record.ts";

type Attempt = Pick<
  RequestRecord["attempts"][number],
  "provider" | "model" | "latencyMs" | "waitedMs" | "fault" | "stream"
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

function stepsOfAttempt(attempt: Attempt): Omit<Step, "from">[] {
  const { latencyMs, waitedMs = 0, fault, stream } = attempt;
  const kind = fault === null ? "attempt" : "failed";
  const name = nameOf(attempt);
  const pause = { name: "pause", ms: waitedMs, kind: "step" } as const;
  if (stream === undefined || stream.firstMs === null)
    return [pause, { name, ms: latencyMs, kind }];
  const firstMs = Math.min(stream.firstMs, latencyMs);
  return [
    pause,
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

/** Steps of less than 1 ms are left out. */
export function stepsOf({ attempts, timing, totalMs }: Timed): Step[] {
  const steps: Step[] = [];
  let from = 0;
  const add = (step: Omit<Step, "from">): void => {
    steps.push({ ...step, from });
    from += step.ms;
  };
  for (const [part, name] of parts) add({ name, ms: timing?.[part] ?? 0, kind: "step" });
  const called = from;
  for (const step of attempts.flatMap(stepsOfAttempt)) add(step);
  // The rest of the time at providers is left blank.
  from = Math.max(from, called + (timing?.provider ?? 0));
  add({ name: "write the record", ms: (totalMs ?? 0) - from, kind: "step" });
  return steps.filter(({ ms }) => ms > 0);
}
