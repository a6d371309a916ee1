import { measure } from "../../domain/audit/metrics.ts";
import type { FinishedRequest } from "../../domain/audit/spans.ts";
import { createMetricExports } from "../../telemetry/metric-exports.ts";
import { clock, type Isolate } from "../isolate.ts";
import type { Lifetime } from "../lifetime.ts";

export function measureOf(
  { config, host, metering }: Pick<Isolate, "config" | "host" | "metering">,
  { background }: Pick<Lifetime, "background">,
): ((finished: FinishedRequest) => void) | null {
  if (metering === null) return null;
  const { meters, deltas } = metering;
  const { metricTarget, metricTenants: tenants } = config;
  const count = (finished: FinishedRequest): void => measure(finished, meters.note, { tenants });
  if (metricTarget === null) return count;
  const sendSoon = createMetricExports({
    target: metricTarget,
    temporality: host.isOneProcess === true ? "cumulative" : "delta",
    meters,
    deltas,
    fetch: host.fetch,
    ...clock,
    background,
    log: host.log,
  });
  return (finished) => {
    count(finished);
    sendSoon();
  };
}
