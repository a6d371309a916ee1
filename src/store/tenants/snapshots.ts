/** Everything a call needs about its caller, in one round trip. */
import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import type { Snapshots } from "../../domain/ports/stores.ts";
import type { Database } from "../db.ts";
import { apiKeys, credentials, sessions, tenants } from "../schema.ts";
import { circuits, health, modelOverrides } from "../schema/health-schema.ts";
import { servers } from "../schema/server-schema.ts";

interface CallerQuery {
  keyId: string;
  sessionId: string | null;
  now: number;
  serverSlug: string | undefined;
}

function selectsOf(
  builder: Database["builder"],
  { keyId, sessionId, now, serverSlug }: CallerQuery,
) {
  // Only the key is known; the tenant is found through it.
  const tenantId = sql`(select ${apiKeys.tenantId} from ${apiKeys} where ${apiKeys.id} = ${keyId})`;
  const whereServer = and(eq(servers.tenantId, tenantId), eq(servers.slug, serverSlug ?? ""));
  const whereSession =
    serverSlug === undefined
      ? and(isNull(sessions.serverId), eq(sessions.id, sessionId ?? ""))
      : and(
          eq(sessions.serverId, sql`(select ${servers.id} from ${servers} where ${whereServer})`),
          eq(sessions.upstreamId, sessionId ?? ""),
        );
  return [
    builder.select().from(apiKeys).where(eq(apiKeys.id, keyId)),
    builder.select().from(tenants).where(eq(tenants.id, tenantId)),
    builder
      .select()
      .from(credentials)
      .where(eq(credentials.tenantId, tenantId))
      .orderBy(asc(credentials.id)),
    builder
      .select()
      .from(modelOverrides)
      .where(eq(modelOverrides.tenantId, tenantId))
      .orderBy(asc(modelOverrides.provider), asc(modelOverrides.model)),
    builder.select().from(health).where(eq(health.tenantId, tenantId)),
    builder.select().from(circuits).where(eq(circuits.tenantId, tenantId)),
    builder
      .select()
      .from(sessions)
      .where(
        and(
          eq(sessions.tenantId, tenantId),
          eq(sessions.keyId, keyId),
          whereSession,
          gt(sessions.expiresAt, now),
        ),
      ),
    builder.select().from(servers).where(whereServer),
  ] as const;
}

export const createSnapshots = (db: Database): Snapshots => ({
  load: (keyId, sessionId, now, serverSlug) =>
    db.read(async (builder) => {
      // Two reads instead of a join: batch rows are objects, which merge equal column names.
      const [
        keyRows,
        tenantRows,
        credentialRows,
        overrideRows,
        healthRows,
        circuitRows,
        sessionRows,
        serverRows,
      ] = await builder.batch(selectsOf(builder, { keyId, sessionId, now, serverSlug }));
      const [key] = keyRows;
      const [tenant] = tenantRows;
      if (key === undefined || tenant === undefined)
        return { snapshot: null, session: null, server: null };
      return {
        snapshot: {
          tenant,
          key,
          credentials: credentialRows,
          overrides: overrideRows.map(({ provider, model, change }) => ({
            provider,
            id: model,
            change,
          })),
          health: healthRows,
          circuits: circuitRows,
        },
        session: sessionRows[0] ?? null,
        server: serverRows[0] ?? null,
      };
    }),
});
