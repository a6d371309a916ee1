/** Messages to webhooks: claimed, sent by somebody, noted. A message that nobody could note is claimed again. */
import { and, desc, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import type { ClaimedMessage, WebhookStore } from "../domain/ports/webhooks.ts";
import { ok } from "../domain/result.ts";
import { raw, type Database } from "./db.ts";
import { appendEvent, appendEventWhere } from "./events.ts";
import { pageOf, rowsFor } from "./page.ts";
import { webhookMessages, webhookSecrets } from "./webhook-schema.ts";

/** ms for which a message that was delivered, or given up, is shown. */
export const keptMessagesMs = 7 * 86_400_000;

export const createWebhookStore = (db: Database): WebhookStore => ({
  async claim({ now, until, limit }) {
    // Most runs find nothing, and write nothing.
    const due = await db.read((builder) =>
      builder.all<{ due: number }>(
        sql`select exists (select 1 from webhook_messages where next_at <= ${now}) as due`,
      ),
    );
    if (!due.ok) return due;
    if (due.value[0]?.due !== 1) return ok([]);
    const written = await db.write([
      raw(sql`
        update webhook_messages set next_at = ${until}, attempts = attempts + 1
        where rowid in (select rowid from webhook_messages where next_at <= ${now}
          order by next_at limit ${limit})
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

  async note({ tenantId, id, attempts, state, nextAt, status, fault, now }, event) {
    const isMine = sql`tenant_id = ${tenantId} and id = ${id} and attempts = ${attempts}
      and state = 'pending'`;
    const written = await db.write([
      // The event stands before the change, after which the condition would no longer hold.
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
    return written.ok ? ok(null) : written;
  },

  list: (tenantId, page) =>
    db.read(async (builder) => {
      const rows = await builder
        .select()
        .from(webhookMessages)
        .where(
          and(
            eq(webhookMessages.tenantId, tenantId),
            page.cursor === null ? undefined : lt(webhookMessages.id, page.cursor),
          ),
        )
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
      // Two sign at most: what signed before the last one is gone.
      raw(sql`delete from webhook_secrets
        where tenant_id = ${tenantId} and ends_at is not null and id <> ${secret.id}
          and ends_at <> ${oldUntil}`),
      raw(sql`update webhook_secrets set ends_at = ${oldUntil}
        where tenant_id = ${tenantId} and id <> ${secret.id}
          and (ends_at is null or ends_at = ${oldUntil})
        returning id`),
      db.builder.insert(webhookSecrets).values(secret).onConflictDoNothing(),
      appendEvent(db.builder, event),
    ]);
    return written.ok ? ok((written.value[1] ?? []).length > 0) : written;
  },

  async prune(now) {
    const written = await db.write([
      raw(sql`delete from webhook_messages where ended_at <= ${now - keptMessagesMs}
        returning id`),
      raw(sql`delete from webhook_secrets where ends_at <= ${now} returning id`),
    ]);
    return written.ok ? ok(written.value.reduce((sum, rows) => sum + rows.length, 0)) : written;
  },
});
