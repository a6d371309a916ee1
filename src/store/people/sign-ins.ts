import { eq } from "drizzle-orm";
import type { SignInStore } from "../../domain/ports/sign-ins.ts";
import { signIns } from "../schema/console-schema.ts";
import type { Database } from "../db.ts";
import { execute } from "../execute.ts";
import { appendEvent } from "../events.ts";

export const createSignInStore = (db: Database): SignInStore => ({
  areSet: () =>
    db.read(async (builder) => {
      const rows = await builder.select({ at: signIns.updatedAt }).from(signIns).limit(1);
      return rows.length > 0;
    }),
  get: (tenantId) =>
    db.read(async (builder) => {
      const [row] = await builder.select().from(signIns).where(eq(signIns.tenantId, tenantId));
      return row ?? null;
    }),
  put(row, event) {
    const { issuer, sealed, updatedAt } = row;
    return execute(db, [
      db.builder
        .insert(signIns)
        .values(row)
        .onConflictDoUpdate({ target: signIns.tenantId, set: { issuer, sealed, updatedAt } }),
      appendEvent(db.builder, event),
    ]);
  },
  remove: (tenantId, event) =>
    execute(db, [
      db.builder.delete(signIns).where(eq(signIns.tenantId, tenantId)),
      appendEvent(db.builder, event),
    ]),
});
