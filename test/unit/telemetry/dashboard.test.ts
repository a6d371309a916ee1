/** The dashboard shows every metric of the router. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as metrics from "../../../src/domain/audit/metrics.ts";
import { createMeters } from "../../../src/telemetry/meters.ts";
import { prometheusText } from "../../../src/telemetry/prometheus.ts";

const text = readFileSync(
  new URL("../../../examples/grafana-dashboard.json", import.meta.url),
  "utf8",
);

it("the dashboard shows every figure of the router but admissions, and no unknown figure", () => {
  const meters = createMeters({ gauges: [], now: () => 0 });
  for (const each of Object.values(metrics)) if (typeof each === "object") meters.note(each, 1, []);
  const known = [...prometheusText(meters.read()).matchAll(/^# TYPE (\w+)/gm)].map(
    ([, name]) => name,
  );
  const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const shown = expressions.flatMap((expr) => [
    ...expr.matchAll(/\b(?:(?:gen_ai_client|gen_ai_server|sampling_router)_\w+)(?=[{[)])/g),
  ]);
  const names = shown
    .map(([name]) => name.replace(/_(bucket|sum|count)$/, ""))
    .filter((name) => !/_(outcome|kind|step)$/.test(name));
  expect([...new Set(names)].filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !names.includes(name ?? ""))).toEqual([
    "sampling_router_admissions_total",
  ]);
});
