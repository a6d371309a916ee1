import { eq, inArray, sql } from "drizzle-orm";
import type { Tenant, TenantStore } from "../../domain/ports/stores.ts";
import { err, ok } from "../../domain/result.ts";
import { raiseVersion } from "../change.ts";
import { raw, type Database } from "../db.ts";
import { execute } from "../execute.ts";
import { appendEvent, appendEventWhere } from "../events.ts";
import { cancellations, questions } from "../schema/session-schema.ts";
import { circuits, health, modelOverrides } from "../schema/health-schema.ts";
import { alerts } from "../schema/alert-schema.ts";
import { approvals } from "../schema/approval-schema.ts";
import { counters, groupedUsage, idempotency, results, usage } from "../schema/ledger-schema.ts";
import { apiKeys, captures, credentials, samplingRequests, sessions, tenants } from "../schema.ts";
import { latencies, latencyCursors } from "../schema/latency-schema.ts";
import { countPastUsage, every } from "../budgets/spent.ts";
import { consoleSessions, signIns } from "../schema/console-schema.ts";
import { webhookMessages, webhookSecrets } from "../schema/webhook-schema.ts";
import { recordNumbers, seals, unreadableRecords } from "../schema/seal-schema.ts";
import { oauthEntries } from "../schema/oauth-schema.ts";
import { users } from "../schema/user-schema.ts";
import { auditSinks } from "../schema/sink-schema.ts";
import {
  authorizations,
  credentialTokens,
  servers,
  serverTokens,
  userTokens,
} from "../schema/server-schema.ts";

const sliceSize = 2_000;

export const createTenantStore = (db: Database): TenantStore => {
  const one = (column: typeof tenants.id | typeof tenants.slug, value: string) =>
    db.read(async (builder): Promise<Tenant | null> => {
      const [row] = await builder.select().from(tenants).where(eq(column, value));
      return row ?? null;
    });
  return {
    async create(tenant, event) {
      const { id, slug, name, policy, ceiling, version, createdAt, residency } = tenant;
      // A tenant's first event proves its creation; events outlive tenants, so an id is created once, ever. The
      // second condition protects slugs in `home` of tenants in other databases.
      const isNew = sql`
        not exists (select 1 from admin_events where tenant_id = ${id})
        and not exists (select 1 from placements where slug = ${slug} and tenant_id <> ${id})`;
      const written = await db.write([
        raw(sql`
          insert into tenants (id, slug, name, policy, ceiling, version, created_at, residency)
          select ${id}, ${slug}, ${name}, ${JSON.stringify(policy)},
            ${JSON.stringify(ceiling)}, ${version}, ${createdAt},
            ${residency === null ? null : JSON.stringify(residency)}
          where ${isNew} returning id`),
        appendEventWhere(event, isNew),
      ]);
      if (!written.ok) return written;
      return (written.value[0] ?? []).length > 0
        ? ok(null)
        : err({ reason: "conflict", detail: "Already exists." });
    },
    bySlug: (slug) => one(tenants.slug, slug),
    byId: (id) => one(tenants.id, id),
    update(id, { calendar, resetsCounters, ...values }, event, ifVersion) {
      const spent = { now: event.at, ...(calendar !== undefined && { calendar }) };
      return execute(db, [
        raiseVersion(db.builder, id, ifVersion),
        db.builder.update(tenants).set(values).where(eq(tenants.id, id)),
        countPastUsage({ scope: "tenant", tenantId: id, subject: id }, spent),
        ...(resetsCounters === true
          ? (["key", "server"] as const).map((scope) =>
              countPastUsage({ scope, tenantId: id, subject: every }, spent),
            )
          : []),
        appendEvent(db.builder, event),
      ]);
    },
    async remove(id, event) {
      const owned = [
        counters,
        usage,
        groupedUsage,
        latencies,
        latencyCursors,
        idempotency,
        results,
        approvals,
        alerts,
        auditSinks,
        webhookMessages,
        webhookSecrets,
        samplingRequests,
        seals,
        unreadableRecords,
        recordNumbers,
        cancellations,
        questions,
        health,
        circuits,
        sessions,
        consoleSessions,
        signIns,
        oauthEntries,
        users,
        authorizations,
        serverTokens,
        userTokens,
        credentialTokens,
        servers,
        modelOverrides,
        credentials,
        apiKeys,
      ];
      const requestIds = db.builder
        .select({ id: samplingRequests.id })
        .from(samplingRequests)
        .where(eq(samplingRequests.tenantId, id));
      // In batches, so that deleting a large tenant doesn't block others.
      const some = sql`
        select id from sampling_requests where tenant_id = ${id} order by id limit ${sliceSize}`;
      for (let more = true; more;) {
        const sliced = await db.write([
          raw(sql`delete from captures where request_id in (${some})`),
          raw(sql`delete from sampling_requests where id in (${some})`),
          raw(sql`select 1 from sampling_requests where tenant_id = ${id} limit 1`),
        ]);
        if (!sliced.ok) return sliced;
        more = (sliced.value[2] ?? []).length > 0;
      }
      return execute(db, [
        // Captures are found through their requests, which are deleted afterwards.
        db.builder.delete(captures).where(inArray(captures.requestId, requestIds)),
        ...owned.map((table) => db.builder.delete(table).where(eq(table.tenantId, id))),
        db.builder.delete(tenants).where(eq(tenants.id, id)),
        appendEvent(db.builder, event),
      ]);
    },
  };
};
