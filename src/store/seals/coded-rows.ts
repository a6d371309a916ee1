import { asc, gt, sql } from "drizzle-orm";
import { codedApproval } from "../../domain/ports/approvals.ts";
import { codedEntry } from "../../domain/ports/oauth-entries.ts";
import { codedText } from "../../domain/tenancy/access.ts";
import type { CodedKind, CodedRow, Recoded } from "../../domain/tenancy/sealing.ts";
import { approvals } from "../schema/approval-schema.ts";
import { raw, type Builder, type Compiled } from "../db.ts";
import { oauthEntries } from "../schema/oauth-schema.ts";
import { apiKeys } from "../schema.ts";

const pageSize = 50;

/** Neither entry keys nor ids contain a space. */
const separator = " ";

export const codedReaders: Record<
  CodedKind,
  (builder: Builder, after: string) => Promise<CodedRow[]>
> = {
  async keys(builder, after) {
    const rows = await builder
      .select()
      .from(apiKeys)
      .where(gt(apiKeys.id, after))
      .orderBy(asc(apiKeys.id))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: row.id,
      text: codedText(row),
      code: row.code,
    }));
  },
  async "oauth-entries"(builder, after) {
    const [tenant = "", key = ""] = after.split(separator);
    const rows = await builder
      .select()
      .from(oauthEntries)
      .where(sql`(tenant_id, key) > (${tenant}, ${key})`)
      .orderBy(asc(oauthEntries.tenantId), asc(oauthEntries.key))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: `${row.tenantId}${separator}${row.key}`,
      text: codedEntry(row),
      code: row.code,
    }));
  },
  async approvals(builder, after) {
    const [tenant = "", request = "", stage = ""] = after.split(separator);
    const rows = await builder
      .select()
      .from(approvals)
      .where(sql`(tenant_id, request_id, stage) > (${tenant}, ${request}, ${stage})`)
      .orderBy(asc(approvals.tenantId), asc(approvals.requestId), asc(approvals.stage))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: [row.tenantId, row.requestId, row.stage].join(separator),
      text: codedApproval(row),
      code: row.code,
    }));
  },
};

const tables = {
  keys: { table: sql`api_keys`, place: sql`api_keys.id` },
  "oauth-entries": {
    table: sql`oauth_entries`,
    place: sql`oauth_entries.tenant_id || ${separator} || oauth_entries.key`,
  },
  approvals: {
    table: sql`approvals`,
    place: sql`approvals.tenant_id || ${separator} || approvals.request_id || ${separator}
      || approvals.stage`,
  },
} as const;

export function recodeRows(kind: CodedKind, rows: readonly Recoded[]): Compiled {
  const { table, place } = tables[kind];
  const changes = JSON.stringify(rows.map((row) => [row.place, row.tenantId, row.from, row.to]));
  return raw(sql`
    update ${table} set code = c.fresh
    from (select value ->> 0 as place, value ->> 1 as tenant, value ->> 2 as was,
      value ->> 3 as fresh from json_each(${changes})) as c
    where ${table}.tenant_id = c.tenant and ${place} = c.place and ${table}.code is c.was`);
}
