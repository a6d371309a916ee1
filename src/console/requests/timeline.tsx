/** How long each step took, as bars on one line of time. */
import { duration } from "../format.ts";
import { timingOf, type RequestRecord } from "./record.ts";

interface Step {
  name: string;
  /** ms from the arrival */
  from: number;
  ms: number;
  kind: "step" | "attempt" | "failed";
}

const order = ["auth", "choose", "approve", "admit"] as const;

/** The steps one after another; attempts stand where the provider's time does. */
function stepsOf(record: RequestRecord): Step[] {
  const timing = timingOf(record) ?? {};
  let from = 0;
  const steps: Step[] = [];
  const add = (step: Omit<Step, "from">): void => {
    steps.push({ ...step, from });
    from += step.ms;
  };
  for (const name of order)
    if (timing[name] !== undefined) add({ name, ms: timing[name], kind: "step" });
  for (const { provider, model, latencyMs, fault } of record.attempts)
    add({
      name: `${provider}/${model}`,
      ms: latencyMs,
      kind: fault === null ? "attempt" : "failed",
    });
  if (record.totalMs !== null && record.totalMs > from)
    add({ name: "settle and wait", ms: record.totalMs - from, kind: "step" });
  return steps;
}

export function Timeline({ record }: { record: RequestRecord }) {
  const steps = stepsOf(record);
  const whole = Math.max(1, record.totalMs ?? 0, ...steps.map(({ from, ms }) => from + ms));
  if (steps.length === 0) return <p class="faint">No step was timed.</p>;
  return (
    <>
      <div class="timeline" role="list" aria-label="Timeline">
        {steps.map(({ name, from, ms, kind }, at) => (
          <div key={at} role="listitem" class="contents">
            <code>{name}</code>
            <span class="lane" aria-hidden="true">
              <span
                class={kind}
                style={{ left: `${(from / whole) * 100}%`, width: `${(ms / whole) * 100}%` }}
              />
            </span>
            <span class="number">
              {duration(ms)}
              {kind === "failed" && " (failed)"}
            </span>
          </div>
        ))}
      </div>
      <p class="faint">
        {duration(record.totalMs)} in all, {duration(record.overheadMs)} of it the router’s own.
      </p>
    </>
  );
}
