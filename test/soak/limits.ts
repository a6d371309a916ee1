/** Many callers at once against each limit in turn, and against all together. */
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { createEnding } from "../../src/start/ending.ts";
import { reconciled, recordsOf, type RecordRow } from "./sums.ts";
import {
  below,
  call,
  crowd,
  questionOf,
  startWorld,
  wait,
  type DatabaseName,
  type Say,
  type Tenant,
  type World,
} from "./world.ts";

const minuteMs = 60_000;
/** USD a call: less than what one costs on average, so that the budget is spent. */
const budgetOfCall = 0.0003;

/** that the provider waits for a first refusal */
const longestHoldMs = 10_000;

type CheckedLimit =
  | "requestsPerMinute"
  | "tokensPerMinute"
  | "concurrent"
  | "usdPerDay"
  | "usdPerMonth";

interface Case {
  name: string;
  limits: Partial<Record<CheckedLimit, number>>;
  /** where they stand */
  scope: "tenant" | "key" | "both";
  /** ms that a caller waits between two calls, on average: a minute must pass */
  paceMs: number;
  /** limits of tags and runs, the names that a call has, and how many calls they admit together */
  nodes?: { policy: object; namesOf: (number: number) => object; admitted: number };
}

/** Two tags and four runs. Each call is charged at tenant, key, its tag and its run. */
function nodesCase(calls: number): Case {
  const ofTag = Math.floor(calls / 4);
  const ofRun = Math.floor(calls / 5);
  return {
    name: "nodes",
    limits: { usdPerMonth: 1_000 },
    scope: "both",
    paceMs: 0,
    nodes: {
      policy: {
        tags: { each: { usdTotal: 1_000 }, limits: { night: { requestsPerDay: ofTag } } },
        runs: { callsPerRun: ofRun },
      },
      namesOf: (number) => ({
        "sampling-router/tag": number % 2 === 0 ? "night" : "noon",
        "sampling-router/run": `run-${number % 4}`,
      }),
      // Of the tag "noon" there are two runs, of which each is full; of "night" the tag is full first.
      admitted: ofTag + 2 * ofRun,
    },
  };
}

const casesFor = (paceMs: number, calls: number, budget: number): Case[] => [
  {
    name: "requests",
    // Of few calls some are refused too.
    limits: { requestsPerMinute: Math.min(300, Math.floor(calls * 0.8)) },
    scope: "tenant",
    paceMs,
  },
  { name: "tokens", limits: { tokensPerMinute: 40_000 }, scope: "key", paceMs },
  { name: "concurrent", limits: { concurrent: 7 }, scope: "tenant", paceMs: 0 },
  { name: "day", limits: { usdPerDay: budget }, scope: "key", paceMs: 0 },
  { name: "month", limits: { usdPerMonth: budget }, scope: "tenant", paceMs: 0 },
  {
    name: "all",
    limits: {
      requestsPerMinute: 500,
      tokensPerMinute: 70_000,
      concurrent: 12,
      usdPerDay: budget,
      usdPerMonth: budget,
    },
    scope: "both",
    paceMs,
  },
  nodesCase(calls),
];

/** The most that lies within one minute, by the records' own times. */
function maxInOneMinute(rows: readonly RecordRow[], of: (row: RecordRow) => number): number {
  const sorted = rows.toSorted((a, b) => a.admittedAt - b.admittedAt);
  let [from, sum, max] = [0, 0, 0];
  for (const row of sorted) {
    sum += of(row);
    while ((sorted[from]?.admittedAt ?? 0) <= row.admittedAt - minuteMs) {
      const left = sorted[from];
      sum -= left === undefined ? 0 : of(left);
      from += 1;
    }
    max = Math.max(max, sum);
  }
  return max;
}

/** Admissions whose answers were lost are given back within half a minute. */
async function settled(world: World, tenant: Tenant, isWaiting: boolean): Promise<RecordRow[]> {
  const until = performance.now() + (isWaiting ? 25_000 : 0);
  for (;;) {
    const rows = await recordsOf(world, tenant);
    const isOver = rows.every(({ outcome }) => outcome !== "admitted");
    if ((isOver && !isWaiting) || performance.now() > until) return rows;
    await wait(1_000);
  }
}

async function runCase(
  world: World,
  its: Case,
  about: { callers: number; calls: number; say: Say },
): Promise<string[]> {
  const { limits, scope, name, paceMs, nodes } = its;
  const { provider, routers } = world;
  const tenant = await world.tenant(`soak-${name}`, {
    policy: { ...(scope !== "key" && { limits }), ...nodes?.policy },
    keyLimits: scope === "tenant" ? {} : limits,
  });
  provider.reset();
  const began = performance.now();
  const reasons = new Map<string, number>();
  // On a slow machine few calls would be under way at once, and none would be refused.
  const refused = new AbortController();
  if (limits.concurrent !== undefined)
    provider.holdUntil(Promise.race([once(refused.signal, "abort"), wait(longestHoldMs)]));
  await crowd(about.callers, about.calls, async (number, caller) => {
    if (paceMs > 0) await wait(below(2 * paceMs));
    const router = routers[caller % routers.length];
    if (router === undefined) return;
    const { reason, succeeded } = await call(router, tenant.key, {
      number,
      params: {
        ...questionOf(number),
        ...(nodes !== undefined && { metadata: nodes.namesOf(number) }),
      },
    });
    const what = succeeded ? "succeeded" : (reason ?? "nothing");
    reasons.set(what, (reasons.get(what) ?? 0) + 1);
    if (!succeeded) refused.abort();
  });
  const seconds = (performance.now() - began) / 1_000;
  const records = await settled(world, tenant, reasons.has("unavailable"));
  const admitted = records.filter(
    ({ outcome, reason }) => outcome !== "refused" && reason !== "unavailable",
  );
  const lost = records.filter(({ reason }) => reason === "unavailable");
  if (lost.some(({ microUsd }) => microUsd > 0)) reasons.set("charged for nothing", 1);
  const spent = admitted.reduce((total, { microUsd }) => total + microUsd, 0);
  const found = {
    requestsPerMinute: maxInOneMinute(admitted, () => 1),
    tokensPerMinute: maxInOneMinute(admitted, ({ tokens }) => tokens),
    concurrent: provider.max(),
    usdPerDay: spent / 1e6,
    usdPerMonth: spent / 1e6,
  };
  about.say(
    `${name}: ${about.calls} calls in ${seconds.toFixed(0)} s: ${[...reasons].map(([reason, count]) => `${count} ${reason}`).join(", ")}; at most ${Object.keys(
      limits,
    )
      .map(
        (limit) => `${limit} ${found[limit as CheckedLimit]} of ${limits[limit as CheckedLimit]}`,
      )
      .join(", ")}`,
  );
  const faults = Object.entries(limits)
    .filter(([limit, max]) => found[limit as CheckedLimit] > max)
    .map(([limit, max]) => `${limit}: ${found[limit as CheckedLimit]} of ${max}`);
  if ((reasons.get("succeeded") ?? 0) !== admitted.length)
    faults.push(`${admitted.length} admitted, ${reasons.get("succeeded") ?? 0} answered`);
  // A call that the database was too slow for has its place in a tag and a run all the same.
  if (nodes !== undefined && admitted.length + lost.length !== nodes.admitted)
    faults.push(`${admitted.length + lost.length} admitted of ${nodes.admitted}`);
  if (provider.seen.size !== admitted.length)
    faults.push(`${admitted.length} admitted, ${provider.seen.size} seen by the provider`);
  // Too slow a database is no fault of the ledger's, if it costs nothing: see what follows.
  for (const unexpected of ["nothing", "internal", "provider_failed", "charged for nothing"])
    if (reasons.has(unexpected)) faults.push(`${reasons.get(unexpected)} ${unexpected}`);
  if (!reasons.has("rate_limited") && !reasons.has("budget_exceeded"))
    faults.push("nothing was refused: no limit was reached");
  faults.push(...(await reconciled(world, tenant, { rates: true })));
  return faults.map((fault) => `${name}: ${fault}`);
}

export async function soakLimits(
  about: {
    database: DatabaseName;
    routers: number;
    callers: number;
    calls: number;
    paceMs: number;
    cases?: readonly string[];
  },
  say: Say,
): Promise<string[]> {
  const ending = createEnding();
  try {
    // Nothing is swept or pruned meanwhile: the counters are compared at the end.
    const world = await startWorld(ending, { ...about, scheduleSeconds: 86_400 });
    const faults: string[] = [];
    for (const its of casesFor(about.paceMs, about.calls, about.calls * budgetOfCall))
      if (about.cases?.includes(its.name) !== false)
        faults.push(...(await runCase(world, its, { ...about, say })));
    return faults;
  } finally {
    await ending.run();
  }
}
