/** Figures of requests: what is noted, and what Prometheus and a collector are told of it. */
import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Attempt } from "../../../src/domain/attempts.ts";
import {
  measure,
  openExchanges,
  type Instrument,
  operationDuration,
  requests,
  timePerOutputToken,
  timeToFirstToken,
  tokenUsage,
} from "../../../src/domain/audit/metrics.ts";
import type { FinishedRequest } from "../../../src/domain/audit/spans.ts";
import { createDeltas, createMetricExports } from "../../../src/telemetry/metric-exports.ts";
import { createMeters } from "../../../src/telemetry/meters.ts";
import { prometheusText } from "../../../src/telemetry/prometheus.ts";
import { isInstalled } from "../../fakes/installed.ts";

const start = 1_800_000_000_000;
const canary = "canary-3f1c";

const finished = (about: Partial<FinishedRequest["ended"]> = {}): FinishedRequest => ({
  opening: {
    id: `req_${canary}`,
    who: {
      tenantId: "ten_1",
      keyId: `key_${canary}`,
      sessionId: `ses_${canary}`,
      serverId: `srv_${canary}`,
      tool: canary,
      clientName: canary,
      clientVersion: canary,
      revision: "2025-11-25",
    },
    createdAt: start,
    asked: null,
    contentSha256: canary,
  },
  decision: null,
  ended: {
    outcome: "succeeded",
    refusal: null,
    attempts: [
      {
        provider: "google",
        model: "gemini",
        credentialId: `cred_${canary}`,
        fault: null,
        status: 200,
        latencyMs: 320,
        retryAfterMs: null,
        retryable: false,
        billed: "yes",
        usage: { inputTokens: 64, outputTokens: 65, estimated: false },
        costMicroUsd: 1_500,
      },
    ],
    answered: { stopReason: "endTurn" },
    usage: null,
    chargedMicroUsd: 1_500,
    timing: { auth: 1, choose: 1, approve: 5_000, admit: 2, provider: 320, settle: 2 },
    endedAt: start + 5_326,
    ...about,
  },
});

const meters = () =>
  createMeters({
    gauges: [
      {
        instrument: openExchanges,
        read: () => [{ labels: ["sampling_router.kind", 'a"b\\'], value: 3 }],
      },
    ],
    now: () => start,
  });

const textOf = (its: ReturnType<typeof meters>): string => prometheusText(its.read());

describe("figures", () => {
  it("have the bounds of OpenTelemetry's conventions", () => {
    expect(tokenUsage.bounds).toEqual([
      1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
    ]);
    expect(operationDuration.bounds).toEqual([
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ]);
  });

  it("count calls, tokens, cost and the router's own time, without the person's", () => {
    const its = meters();
    measure(finished(), its.note, { tenants: false });
    const lines = textOf(its).split("\n");
    const call =
      'gen_ai_operation_name="chat",gen_ai_provider_name="gcp.gemini",gen_ai_request_model="gemini"';
    for (const line of [
      'sampling_router_requests_total{sampling_router_outcome="succeeded"} 1',
      "sampling_router_admissions_total 1",
      // A value on a bound is in that bound's bucket.
      `gen_ai_client_token_usage_bucket{${call},gen_ai_token_type="input",le="64"} 1`,
      `gen_ai_client_token_usage_bucket{${call},gen_ai_token_type="output",le="64"} 0`,
      `gen_ai_client_token_usage_bucket{${call},gen_ai_token_type="output",le="256"} 1`,
      `gen_ai_client_operation_duration_seconds_bucket{${call},le="0.16"} 0`,
      `gen_ai_client_operation_duration_seconds_bucket{${call},le="0.32"} 1`,
      `gen_ai_client_operation_duration_seconds_bucket{${call},le="+Inf"} 1`,
      `gen_ai_client_operation_duration_seconds_sum{${call}} 0.32`,
      `sampling_router_cost_usd_total{${call}} 0.0015`,
      "sampling_router_overhead_seconds_sum 0.006",
      'sampling_router_step_duration_seconds_sum{sampling_router_step="admit"} 0.002',
      'sampling_router_open{sampling_router_kind="a\\"b\\\\"} 3',
    ])
      expect(lines).toContain(line);
  });

  it("count a refusal by its reason, and no call", () => {
    const its = meters();
    const refusal = { reason: "unavailable", retryAfterMs: 1 } as const;
    const ended = { outcome: "refused", refusal, attempts: [], timing: { auth: 1 } } as const;
    measure(finished(ended), its.note, { tenants: false });
    const text = textOf(its);
    expect(text).toContain('sampling_router_refusals_total{error_type="unavailable"} 1');
    expect(text).not.toContain("sampling_router_admissions");
    expect(text).not.toContain("gen_ai");
  });

  it("name the tenant where the operator wants it, and never a key, a session or a server", () => {
    for (const tenants of [false, true]) {
      const its = meters();
      measure(finished(), its.note, { tenants });
      expect(textOf(its).includes('sampling_router_tenant_id="ten_1"')).toBe(tenants);
      expect(textOf(its)).not.toContain(canary);
    }
  });

  it("count the values of a label beyond the bound together", () => {
    const its = meters();
    for (let at = 0; at < 2_005; at += 1) its.note(requests, 1, ["model", String(at)]);
    expect(textOf(its)).toContain(
      'sampling_router_requests_total{otel_metric_overflow="true"} 5\n',
    );
    expect(its.read()[0]?.allSeries).toHaveLength(2_001);
  });

  it.skipIf(!isInstalled("promtool"))(
    "are what Debian's promtool accepts (skipped where promtool is not installed)",
    () => {
      const its = meters();
      measure(finished(), its.note, { tenants: true });
      const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
        input: textOf(its),
        encoding: "utf8",
      });
      expect(`${stdout}${stderr}`).toBe("");
      expect(status).toBe(0);
    },
  );
});

interface Sent {
  metrics: {
    name: string;
    sum?: { aggregationTemporality: number; isMonotonic: boolean; dataPoints: Point[] };
    histogram?: { aggregationTemporality: number; dataPoints: Point[] };
  }[];
}
interface Point {
  startTimeUnixNano: string;
  timeUnixNano: string;
  asDouble?: number;
  count?: number;
  bucketCounts?: number[];
}

function exporting(
  temporality: "cumulative" | "delta",
  wait: () => Promise<void> = () => Promise.resolve(),
) {
  const its = meters();
  const sent: { url: string; body: Sent }[] = [];
  const work: Promise<unknown>[] = [];
  let now = start;
  const soon = createMetricExports({
    target: { url: "http://collector.test/v1/metrics", headers: { a: "b" }, serviceName: "test" },
    temporality,
    meters: its,
    deltas: createDeltas(its),
    async fetch(url, init) {
      const text = new TextDecoder().decode(init?.body as Uint8Array);
      const { resourceMetrics } = JSON.parse(text) as {
        resourceMetrics: { scopeMetrics: Sent[] }[];
      };
      const [scope] = resourceMetrics[0]?.scopeMetrics ?? [];
      if (scope !== undefined) sent.push({ url: String(url), body: scope });
      return Response.json({});
    },
    now: () => now,
    elapsed: () => now - start,
    background: (promise) => void work.push(promise),
    wait,
    log: () => {},
  });
  return {
    sent,
    pass: (ms: number) => void (now += ms),
    noteOne() {
      measure(finished(), its.note, { tenants: false });
      soon();
    },
    async note(count: number) {
      for (let at = 0; at < count; at += 1) this.noteOne();
      await Promise.all(work);
      now += 10_000;
    },
    /** How many requests each message tells of. */
    told: () =>
      sent.map(
        ({ body }) =>
          body.metrics.find(({ name }) => name === "sampling_router.requests")?.sum?.dataPoints[0]
            ?.asDouble,
      ),
  };
}

describe("figures for a collector", () => {
  it("are sent once for requests that end together, from the process's start", async () => {
    const its = exporting("cumulative");
    await its.note(3);
    await its.note(2);
    expect(its.told()).toEqual([3, 5]);
    const [, second] = its.sent;
    expect(second?.url).toBe("http://collector.test/v1/metrics");
    const usage = second?.body.metrics.find(({ name }) => name === "gen_ai.client.token.usage");
    expect(usage?.histogram?.aggregationTemporality).toBe(2);
    expect(usage?.histogram?.dataPoints[0]).toMatchObject({
      count: 5,
      startTimeUnixNano: `${start}000000`,
      timeUnixNano: `${start + 10_000}000000`,
    });
  });

  it("are sent by another request where the invocation that waited to send was cut", async () => {
    const waits: (() => void)[] = [];
    const its = exporting("delta", () => new Promise((over) => waits.push(over)));
    its.noteOne();
    its.pass(1_999);
    its.noteOne();
    expect(waits).toHaveLength(1);
    its.pass(1);
    its.noteOne();
    expect(waits).toHaveLength(2);
    waits[1]?.();
    await vi.waitFor(() => expect(its.told()).toEqual([3]));
  });

  it("add up to the total where each message holds the increase since the last message", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 5 }),
        async (parts) => {
          const its = exporting("delta");
          for (const part of parts) await its.note(part);
          expect(its.told()).toEqual(parts);
          for (const { body } of its.sent)
            for (const { sum, histogram } of body.metrics)
              expect((sum ?? histogram)?.aggregationTemporality ?? 1).toBe(1);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("a stream", () => {
  const noted = (change: Partial<Attempt>) => {
    const found = new Map<Instrument, number>();
    const [attempt] = finished().ended.attempts;
    if (attempt === undefined) throw new Error("no attempt");
    measure(
      finished({ attempts: [{ ...attempt, ...change }] }),
      (instrument, value) => found.set(instrument, value),
      { tenants: false },
    );
    return [found.get(timeToFirstToken), found.get(timePerOutputToken)];
  };

  it("is measured to its first content, and by token once it is complete", () => {
    expect(noted({ stream: { firstMs: 64, status: "complete" } })).toEqual([0.064, 0.004]);
    expect(
      noted({ stream: { firstMs: 64, status: "interrupted", interruptedBy: "client" } }),
    ).toEqual([0.064, undefined]);
    expect(noted({ stream: { firstMs: null, status: "interrupted" } })).toEqual([
      undefined,
      undefined,
    ]);
    expect(noted({})).toEqual([undefined, undefined]);
  });
});
