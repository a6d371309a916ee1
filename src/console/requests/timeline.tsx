import { duration } from "../format.ts";
import { Card } from "../parts/card.tsx";
import type { RequestRecord } from "./record.ts";
import { pausesOf, stepsOf } from "./steps.ts";

export function Timeline({ record }: { record: RequestRecord }) {
  const steps = stepsOf(record);
  const pauses = pausesOf(record);
  const { totalMs, overheadMs } = record;
  const whole = Math.max(1, totalMs ?? 0, ...steps.map(({ from, ms }) => from + ms));
  if (steps.length === 0) return null;
  return (
    <Card title="Timeline">
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
      {totalMs !== null && overheadMs !== null && (
        <p class="faint">
          {duration(totalMs)} in all: {duration(overheadMs)} in the router,{" "}
          {pauses > 0 && `${duration(pauses)} pauses between attempts, `}
          {duration(Math.max(0, totalMs - overheadMs - pauses))} at providers.
        </p>
      )}
    </Card>
  );
}
