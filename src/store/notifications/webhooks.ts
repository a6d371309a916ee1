/** Webhook messages: claimed, sent, marked. An unmarked message is claimed again. */
import { and, desc, eq, gt, isNull, or, sql } from "drizzle-orm";
import {
  keptMessagesMs,
  type ClaimedMessage,
  type WebhookStore,
} from "../../domain/ports/webhooks.ts";
import { ok } from "../../domain/result.ts";
import { raw, type Database } from "../db.ts";
import { countRows, execute } from "../execute.ts";
import { appendEvent, appendEventWhere } from "../events.ts";
import { isOnPage, pageOf, rowsFor } from "../page.ts";
import { webhookMessages, webhookSecrets } from "../schema/webhook-schema.ts";

/** Messages per read: two per tenant and URL; a process sends six at a time. */
const maxDue = 500;

export const createWebhookStore = (db: Database): WebhookStore => ({
  due: (now) =>
    db.read(async (builder) => {
      const rows = await builder.all<{ tenant_id: string; id: string; url: string }>(sql`
        select tenant_id, id, url from (
          select tenant_id, id, url, next_at,
            row_number() over (partition by tenant_id, url order by next_at, id) as place
          from webhook_messages where next_at <= ${now})
        where place <= 2 order by next_at, id limit ${maxDue}`);
      return rows.map(({ tenant_id: tenantId, id, url }) => ({ tenantId, id, url }));
    }),

  async claim(messages, { now, until }) {
    if (messages.length === 0) return ok([]);
    const named = JSON.stringify(messages.map(({ tenantId, id }) => [tenantId, id]));
    const written = await db.write([
      raw(sql`
        update webhook_messages set next_at = ${until}, attempts = attempts + 1
        where next_at <= ${now} and (tenant_id, id) in (select value ->> 0, value ->> 1 from json_each(${named}))
        returning tenant_id, id, url, body, attempts, created_at`),
    ]);
    if (!written.ok) return written;
    return ok(
      (written.value[0] ?? []).map((row): ClaimedMessage => ({
        tenantId: String(row["tenant_id"]),
        id: String(row["id"]),
        url: String(row["url"]),
        body: String(row["body"]),
        attempts: Number(row["attempts"]),
        createdAt: Number(row["created_at"]),
      })),
    );
  },

  note({ tenantId, id, attempts, state, nextAt, status, fault, now }, event) {
    const isMine = sql`tenant_id = ${tenantId} and id = ${id} and attempts = ${attempts}
      and state = 'pending'`;
    return execute(db, [
      // Must precede the change, which ends the condition.
      ...(event === null
        ? []
        : [
            appendEventWhere(
              event,
              sql`exists (select 1 from webhook_messages where ${isMine})
                and not exists (select 1 from admin_events where id = ${event.id})`,
            ),
          ]),
      raw(sql`
        update webhook_messages set state = ${state}, next_at = ${nextAt}, status = ${status},
          fault = ${fault}, ended_at = ${nextAt === null ? now : null}
        where ${isMine}`),
    ]);
  },

  list: (tenantId, page) =>
    db.read(async (builder) => {
      const rows = await builder
        .select()
        .from(webhookMessages)
        .where(isOnPage(webhookMessages, tenantId, page))
        .orderBy(desc(webhookMessages.id))
        .limit(rowsFor(page));
      return pageOf(rows, page);
    }),

  secrets: (tenantId, now) =>
    db.read((builder) =>
      builder
        .select({
          id: webhookSecrets.id,
          tenantId: webhookSecrets.tenantId,
          destination: webhookSecrets.destination,
          sealed: webhookSecrets.sealed,
          createdAt: webhookSecrets.createdAt,
        })
        .from(webhookSecrets)
        .where(
          and(
            eq(webhookSecrets.tenantId, tenantId),
            or(isNull(webhookSecrets.endsAt), gt(webhookSecrets.endsAt, now)),
          ),
        )
        .orderBy(desc(webhookSecrets.id)),
    ),

  async rotate(secret, oldUntil, event) {
    const { tenantId } = secret;
    const written = await db.write([
      raw(sql`delete from webhook_secrets
        where tenant_id = ${tenantId} and ends_at is not null and id <> ${secret.id}
          and ends_at <> ${oldUntil}`),
      raw(sql`update webhook_secrets set ends_at = ${oldUntil}
        where tenant_id = ${tenantId} and id <> ${secret.id} and destination is null
          and (ends_at is null or ends_at = ${oldUntil})
        returning id`),
      db.builder.insert(webhookSecrets).values(secret).onConflictDoNothing(),
      appendEvent(db.builder, event),
    ]);
    return written.ok ? ok((written.value[1] ?? []).length > 0) : written;
  },

  replaceHeader: ({ tenantId, destination }, header, event) =>
    execute(db, [
      raw(sql`delete from webhook_secrets
        where tenant_id = ${tenantId} and destination = ${destination}`),
      ...(header === null ? [] : [db.builder.insert(webhookSecrets).values(header)]),
      appendEvent(db.builder, event),
    ]),

  prune: (now) =>
    countRows(db, [
      raw(sql`delete from webhook_messages where ended_at <= ${now - keptMessagesMs}
        returning id`),
      raw(sql`delete from webhook_secrets where ends_at <= ${now} returning id`),
    ]),
});
