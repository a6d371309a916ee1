/** No statement of the running product reads a large table from end to end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client, type InStatement } from "@libsql/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { histogramText, noCalls } from "../../../src/domain/latencies.ts";
import type { Delivery } from "../../../src/domain/ports/outbox.ts";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import { openLibsql } from "../../../src/store/db.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { readMigrations } from "../../setup/migrations.ts";
import {
  caller,
  correction,
  event,
  opening,
  reservation,
  session,
  settlement,
  start,
  tenant,
  type Caller,
} from "./fixtures.ts";
import { calendarOf } from "../../../src/pipeline/callers/time-zones.ts";
import { sealOnce } from "../../../src/pipeline/scheduled/audit/seal.ts";
import { storesOn, value } from "./open.ts";
import { sealingOn } from "./sealing.ts";

/** A client that remembers its statements. */
function remembering(client: Client): { client: Client; asked: InStatement[] } {
  const asked: InStatement[] = [];
  const spy = new Proxy(client, {
    get(target, name) {
      if (name === "execute")
        return (statement: InStatement) => {
          asked.push(statement);
          return target.execute(statement);
        };
      if (name === "batch")
        return (statements: InStatement[], mode?: "read" | "write") => {
          asked.push(...statements);
          return target.batch(statements, mode);
        };
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { client: spy, asked };
}

describe("query plans", () => {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-"));
  const url = `file:${join(folder, "database.sqlite")}`;
  const real = createClient({ url, timeout: 5_000 });
  const { client, asked } = remembering(real);
  const stores = storesOn(openLibsql(client));
  let who: Caller;
  let begun: ReturnType<typeof session>;

  beforeAll(async () => {
    value(await migrate(openLibsql(client), readMigrations()));
    const limits = { requestsPerMinute: 9, tokensPerMinute: 9_000, concurrent: 9 };
    who = await caller(stores, { tenantLimits: limits, keyLimits: limits });
    begun = session(who.tenantId, who.keyId);
    value(await stores.sessions.create(begun));
  });
  afterAll(() => {
    real.close();
    rmSync(folder, { recursive: true });
  });

  /** The lines of the plans of every statement that the work sends. */
  async function planOf(work: () => Promise<unknown>): Promise<string[]> {
    asked.length = 0;
    await work();
    const lines: string[] = [];
    // A connection of its own, closed again: this client leaves an explained write locking the
    // file.
    const explaining = createClient({ url });
    for (const statement of asked) {
      const { sql, args = [] } = typeof statement === "string" ? { sql: statement } : statement;
      const { rows } = await explaining.execute({ sql: `explain query plan ${sql}`, args });
      lines.push(...rows.map((row) => String(row["detail"])));
    }
    explaining.close();
    return lines;
  }

  // With their aliases. `tenants`, `credentials` and `json_each` are small.
  const large =
    /^SCAN (latencies|sampling_requests|placements|seals|counters|sessions|captures|admin_events|api_keys|idempotency|results|usage|delivered_usage|delivered_latencies|usage_totals|deliveries|alerts|a|r|c|b|i|s|k|u|p)\b/;
  /** Hold the calls that run, and events that wait for a minute, so they are small however large their tables are. */
  const live =
    / USING (COVERING )?INDEX (sampling_requests_live|admin_events_outbox|latencies_outbox)$/;
  const page = { cursor: null, limit: 50 };

  const placement = { slug: "acme", tenantId: "ten_1", database: "eu", residency: null };
  const delivery: Delivery = {
    version: 1,
    events: [event(null)],
    tenants: [{ id: "ten_1", name: "Acme", createdAt: start }],
    deleted: ["ten_2"],
    hours: [{ tenantId: "ten_1", hour: 3_600 }],
    usage: [
      {
        tenantId: "ten_1",
        hour: 3_600,
        model: "a/b",
        succeeded: 1,
        failed: 0,
        refused: 0,
        cancelled: 0,
        unknown: 0,
        inputTokens: 1,
        outputTokens: 1,
        costMicroUsd: 1,
      },
    ],
    latencies: [
      {
        tenantId: "ten_1",
        width: 3_600,
        at: 3_600,
        model: "a/b",
        histogram: histogramText(noCalls),
      },
    ],
    auditKeys: [],
    since: 3_600,
  };

  const jobs: Record<string, (stores: Stores) => Promise<unknown>> = {
    "ledger.admit": ({ ledger }) => ledger.admit(reservation(who, start, { sessionId: begun.id })),
    "ledger.settle": ({ ledger }) =>
      ledger.settle(settlement(reservation(who, start), start, { captured: "content" })),
    "ledger.settleSwept": ({ ledger }) =>
      ledger.settleSwept(settlement(reservation(who, start), start), event(null)),
    "ledger.findOpen": ({ ledger }) => ledger.findOpen([{ tenantId: who.tenantId, id: "req_1" }]),
    "ledger.runningOf": ({ ledger }) => ledger.runningOf([who.tenantId], start),
    "ledger.refuse": ({ ledger }) => ledger.refuse(opening(who), "internal", null, null),
    "ledger.sweep": ({ ledger }) => ledger.sweep(start),
    "ledger.prune": ({ ledger }) => ledger.prune(start),
    "ledger.admit, thinned": ({ ledger }) =>
      ledger.admit(reservation({ ...who, keyLimits: { requestsPerMinute: 0 } }, start)),
    "thinning.ended": ({ thinning }) => thinning.ended(start),
    "thinning.recorded": ({ thinning }) =>
      thinning.recorded({ tenantId: who.tenantId, keyId: who.keyId, minute: 60, requests: 1 }),
    "requests.get": ({ requests }) => requests.get(who.tenantId, "req_1"),
    "requests.list": ({ requests }) => requests.list(who.tenantId, {}, page),
    "requests.countBySession": ({ requests }) =>
      requests.countBySession(who.tenantId, [{ id: "ses_1", createdAt: start }]),
    "servers.list": ({ servers }) => servers.list(who.tenantId, page),
    "requests.list, filtered": ({ requests }) =>
      requests.list(
        who.tenantId,
        { from: 1, to: 2, outcome: "failed", model: "m", key: "k", session: "s" },
        { cursor: "req_2", limit: 50 },
      ),
    "ledger.admit, repeatable": ({ ledger }) =>
      ledger.admit(
        reservation(who, start, { idempotency: { key: "k", expiresAt: start + 86_400_000 } }),
      ),
    "ledger.correct": ({ ledger }) =>
      ledger.correct(
        { tenantId: who.tenantId, id: "req_1", correction: correction() },
        event(null),
      ),
    "idempotency.find": ({ idempotency }) =>
      idempotency.find({ ...who, serverId: null, key: "k" }, start),
    "idempotency.isPrefixTaken": ({ idempotency }) =>
      idempotency.isPrefixTaken({ ...who, serverId: null, keyPrefix: "k" }, start),
    "idempotency.recordDelivery": ({ idempotency }) =>
      idempotency.recordDelivery({ tenantId: who.tenantId, requestId: "req_1" }, 200),
    "ledger.settle, repeatable": ({ ledger }) =>
      ledger.settle(
        settlement(reservation(who, start), start, {
          result: { parts: ["r"], expiresAt: start + 86_400_000 },
        }),
      ),
    "idempotency.prune": ({ idempotency }) => idempotency.prune(start),
    "limits.nodes": ({ limits }) => limits.nodes(who.tenantId, { after: "run:", limit: 9 }),
    "usage.read": ({ usage }) =>
      usage.read(who.tenantId, {
        from: start,
        to: start + 1,
        bucket: "day",
        by: "model",
        limit: 9,
      }),
    "topUsage.top": ({ topUsage }) =>
      topUsage.top(who.tenantId, { from: start, to: start + 1, by: "tag", limit: 9 }),
    "topUsage.limitsOf": ({ topUsage }) => topUsage.limitsOf(who.tenantId, [who.keyId]),
    "latencies.pending": ({ latencies }) => latencies.pending(8),
    "latencies.callsAfter": ({ latencies }) =>
      latencies.callsAfter({ tenantId: who.tenantId, seal: 3, position: 4 }, 2_000),
    "latencies.count": ({ latencies }) => {
      const from = { tenantId: who.tenantId, seal: 0, position: -1 };
      const row = { width: 3_600, by: "model", at: 0, group: "a/b", histogram: noCalls } as const;
      return latencies.count(from, { ...from, seal: 1 }, { rows: [row], grouped: [], now: start });
    },
    "latencies.read": ({ latencies }) =>
      latencies.read(who.tenantId, { from: start, to: start + 1, bucket: "day", by: "model" }),
    "latencies.readAll": ({ latencies }) =>
      latencies.readAll({ from: start, to: start + 1, bucket: "hour", by: "tenant" }),
    "requests.pruneContents": ({ requests }) => requests.pruneContents(start),
    "seals.aged": ({ seals }) => seals.aged(start),
    "seals.waitingTenants": ({ seals }) => seals.waitingTenants("", 9),
    "seals.waiting": ({ seals }) => seals.waiting(who.tenantId, start, 9),
    "seals.countWaiting": ({ seals }) => seals.countWaiting(who.tenantId),
    "seals.append": async (its) => {
      const { seals, ledger } = its;
      value(await ledger.refuse(opening(who), "internal", null, null));
      value(await sealOnce(await sealingOn(its), who.tenantId, Number.MAX_SAFE_INTEGER));
      return seals.head(who.tenantId);
    },
    "seals.list": ({ seals }) => seals.list(who.tenantId, page),
    "seals.reach": ({ seals }) => seals.sealRange(who.tenantId, { after: 0, from: 1, to: 2 }),
    "seals.spans": ({ seals }) => seals.spans(who.tenantId, { first: 1, last: 9 }, 9),
    "seals.read": ({ seals }) => seals.read(who.tenantId, { first: 1, last: 9 }),
    "alerts.crossed": ({ alerts }) => alerts.crossed(start, calendarOf),
    "alerts.troubles": ({ alerts }) => alerts.troubles(start),
    "alerts.attention": ({ alerts }) => alerts.attention(who.tenantId, start),
    "alerts.list": ({ alerts }) => alerts.list(who.tenantId, page),
    "alerts.prune": ({ alerts }) => alerts.prune(start),
    "sessions.begin": ({ sessions }) => sessions.begin(session(who.tenantId, who.keyId)),
    "requestFeed.state": ({ requestFeed }) => requestFeed.state(who.tenantId),
    "requestFeed.changes": ({ requestFeed }) =>
      requestFeed.changes(who.tenantId, { open: ["req_1"], last: 1 }),
    "requestFeed.since": ({ requestFeed }) => requestFeed.since(who.tenantId, start),
    "sessions.admit": ({ sessions }) => sessions.admit(who, start),
    "sessions.create": ({ sessions }) => sessions.create(session(who.tenantId, who.keyId)),
    "sessions.get": ({ sessions }) => sessions.get(who.tenantId, begun.id),
    "sessions.list": ({ sessions }) => sessions.list(who.tenantId, page),
    "sessions.touch": ({ sessions }) => sessions.touch(who.tenantId, begun.id, start, start + 1),
    "sessions.bridged": ({ sessions }) =>
      sessions.bridged({ ...who, serverId: "srv_1", bridgeKey: "k" }, start),
    "sessions.end": ({ sessions }) => sessions.end(who.tenantId, "ses_1", event(who.tenantId)),
    "sessions.prune": ({ sessions }) => sessions.prune(start),
    "snapshots.load": ({ snapshots }) => snapshots.load(who.keyId, begun.id, start),
    "events.list": ({ events }) => events.list(who.tenantId, page),
    "events.list, filtered": ({ events }) =>
      events.list(who.tenantId, { ...page, filter: { from: start, to: start + 1, text: "a" } }),
    "events.list, of a tenant": ({ events }) =>
      events.list(null, { ...page, filter: { tenant: who.tenantId, actor: "a" } }),
    "keys.list": ({ keys }) => keys.list(who.tenantId, page),
    "tenants.create": ({ tenants }) => tenants.create(tenant(), event("ten_2")),
    "placements.claim": ({ placements }) => placements.claim(placement),
    "placements.bySlug": ({ placements }) => placements.bySlug("acme"),
    "placements.list": ({ placements }) => placements.list({ cursor: "ten_5", limit: 9 }),
    "placements.release": ({ placements }) => placements.release(placement),
    "outbox.begin": ({ outbox }) => outbox.begin(start),
    "outbox.end": ({ outbox }) => outbox.end(delivery),
    "deliveries.enter": ({ deliveries }) =>
      deliveries.enter({ database: "eu", now: start }, delivery),
    "tenants.remove": ({ tenants }) => tenants.remove("ten_1", event(null)),
  };

  it.each(Object.keys(jobs))("reads no large table from end to end: %s", async (job) => {
    const lines = await planOf(async () => jobs[job]?.(stores));
    expect(asked).not.toEqual([]);
    expect(lines.filter((line) => large.test(line) && !live.test(line))).toEqual([]);
  });

  const expected: { job: string; line: string }[] = [
    {
      job: "ledger.admit",
      line: "SEARCH r USING INDEX sampling_requests_live (tenant_id=?)",
    },
    {
      job: "ledger.admit",
      line: "SEARCH c USING INDEX sqlite_autoindex_counters_1 (tenant_id=? AND subject=? AND resource=? AND bucket>? AND bucket<?)",
    },
    {
      job: "idempotency.isPrefixTaken",
      line: "SEARCH idempotency USING INDEX sqlite_autoindex_idempotency_1 (tenant_id=? AND key_id=? AND server_id=? AND idempotency_key>? AND idempotency_key<?)",
    },
    {
      job: "idempotency.recordDelivery",
      line: "SEARCH idempotency USING INDEX idempotency_request (request_id=?)",
    },
    {
      job: "ledger.sweep",
      line: "SCAN sampling_requests USING INDEX sampling_requests_live",
    },
    {
      job: "seals.waiting",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_live (tenant_id=?)",
    },
    {
      job: "seals.countWaiting",
      line: "SEARCH r USING INDEX sqlite_autoindex_sampling_requests_1 (id=?)",
    },
    {
      job: "requests.list",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_tenant (tenant_id=?)",
    },
    {
      job: "requests.countBySession",
      line: "SEARCH r USING COVERING INDEX sampling_requests_tenant (tenant_id=? AND id>?)",
    },
    {
      job: "requests.list, filtered",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_tenant (tenant_id=? AND id>? AND id<?)",
    },
    {
      job: "servers.list",
      line: "SEARCH servers USING INDEX servers_tenant (tenant_id=?)",
    },
    {
      job: "seals.waiting",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_waiting (tenant_id=?)",
    },
    {
      job: "seals.append",
      line: "SEARCH r USING INDEX sqlite_autoindex_sampling_requests_1 (id=?)",
    },
    {
      job: "seals.append",
      line: "SEARCH sampling_requests USING INDEX sqlite_autoindex_sampling_requests_1 (id=?)",
    },
    {
      job: "seals.waitingTenants",
      line: "SEARCH r USING INDEX sampling_requests_waiting (tenant_id>?)",
    },
    {
      job: "seals.countWaiting",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_waiting (tenant_id=?)",
    },
    {
      job: "seals.read",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_chain (tenant_id=? AND seal_number>? AND seal_number<?)",
    },
    {
      job: "requestFeed.state",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_live (tenant_id=?)",
    },
    {
      job: "requestFeed.changes",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_live (tenant_id=?)",
    },
    {
      job: "requestFeed.changes",
      line: "SEARCH sampling_requests USING INDEX sampling_requests_waiting (tenant_id=? AND record_number>?)",
    },
    {
      job: "requestFeed.since",
      line: "SEARCH sampling_requests USING COVERING INDEX sampling_requests_tenant (tenant_id=? AND id>?)",
    },
    {
      job: "requests.pruneContents",
      line: "SEARCH c USING COVERING INDEX captures_tenant (tenant_id=? AND request_id<?)",
    },
    {
      job: "seals.aged",
      line: "SEARCH r USING INDEX sampling_requests_tenant (tenant_id=? AND id<?)",
    },
  ];
  it.each(expected)("$job goes by the index that was made for it: $line", async ({ job, line }) => {
    const lines = await planOf(async () => jobs[job]?.(stores));
    expect(lines, lines.join("; ")).toContain(line);
  });

  it("sorts no list: ids sort by time", async () => {
    for (const job of [
      "requests.list",
      "requests.list, filtered",
      "sessions.list",
      "keys.list",
      "servers.list",
    ])
      expect((await planOf(async () => jobs[job]?.(stores))).join()).not.toContain("TEMP B-TREE");
  });
});
