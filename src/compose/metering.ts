import type { Config } from "../config.ts";
import {
  databaseCommit,
  databaseSize,
  databaseWaiting,
  openExchanges as openInstrument,
  queueWaiting,
  type Labels,
} from "../domain/audit/metrics.ts";
import { homeDatabase } from "../domain/tenancy/database-names.ts";
import { openKinds } from "../domain/limits/open-limits.ts";
import type { OpenExchanges } from "../domain/limits/open-exchanges.ts";
import type { SharedQueues } from "../pipeline/sampling/scheduling.ts";
import { createDeltas } from "../telemetry/metric-exports.ts";
import { createMeters, type Gauge } from "../telemetry/meters.ts";
import { prometheusText, prometheusType } from "../telemetry/prometheus.ts";
import type { Host } from "./host.ts";

export interface MeteringDeps {
  config: Config;
  host: Host;
  queues: (database: string) => SharedQueues;
  openExchanges: OpenExchanges;
  now: () => number;
}

const fileGaugesOf = ({ databaseFigures }: Host): Gauge[] =>
  databaseFigures === undefined
    ? []
    : [
        {
          instrument: databaseWaiting,
          read: () => [{ labels: [], value: databaseFigures.waiting() }],
        },
        { instrument: databaseSize, read: () => [{ labels: [], value: databaseFigures.bytes() }] },
      ];

const gaugesOf = ({ host, queues, openExchanges }: MeteringDeps): Gauge[] => [
  ...fileGaugesOf(host),
  {
    instrument: queueWaiting,
    read: () => [
      {
        labels: [],
        value: queues(homeDatabase).admissions.waiting(),
      },
    ],
  },
  {
    instrument: openInstrument,
    read: () =>
      openKinds.map((kind) => ({
        labels: ["sampling_router.kind", kind] as Labels,
        value: openExchanges.count(kind),
      })),
  },
];

export function createMetering(deps: MeteringDeps) {
  const { config, host, now } = deps;
  const isOneProcess = host.isOneProcess === true;
  if (!isOneProcess && config.metricTarget === null) return null;
  // Gauges are meaningless across unknown isolates.
  const meters = createMeters({ gauges: isOneProcess ? gaugesOf(deps) : [], now });
  host.databaseFigures?.onCommit((ms) => meters.note(databaseCommit, ms / 1_000, []));
  return {
    meters,
    deltas: createDeltas(meters),
    shown: isOneProcess
      ? () => ({ text: prometheusText(meters.read()), type: prometheusType })
      : null,
  };
}
