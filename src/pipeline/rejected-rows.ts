/** Reports forged rows in the log and the events, once per row and day. */
import type { EventStore, Vault } from "../domain/ports/stores.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { SealedFor } from "../domain/tenancy/sealing.ts";
import type { NoteRejected } from "../domain/tenancy/rejected-row.ts";

const dayMs = 86_400_000;
const maxRemembered = 1_000;

export const createRejectedRows =
  (deps: {
    events: () => Pick<EventStore, "appendOnce">;
    ids: Pick<Ids, "next">;
    memory: Set<string>;
    log: (entry: Record<string, unknown>) => void;
    now: () => number;
  }): NoteRejected =>
  async ({ tenantId, table, id }) => {
    const at = deps.now();
    const since = at - (at % dayMs);
    const key = `${since} ${table} ${tenantId} ${id}`;
    if (deps.memory.has(key)) return;
    const target = `${table} ${id}`;
    const noted = await deps.events().appendOnce(
      {
        id: deps.ids.next("event"),
        at,
        actor: "router",
        action: "row.rejected",
        tenantId,
        target,
        detail: {},
      },
      since,
    );
    if (!noted.ok) return;
    if (deps.memory.size >= maxRemembered) deps.memory.clear();
    deps.memory.add(key);
    if (noted.value) deps.log({ event: "row.rejected", tenantId, target });
  };

const tables: Record<Exclude<SealedFor["purpose"], "round">, string> = {
  credential: "credentials",
  capture: "captures",
  result: "results",
  server: "servers",
  token: "server_tokens",
  authorization: "authorizations",
  webhook: "webhook_secrets",
  "sign-in": "sign_ins",
  user: "users",
  "grant-check": "oauth_entries",
};

export const reportingVault = (vault: Vault, rejected: NoteRejected): Vault => ({
  ...vault,
  async open(sealed, context) {
    const opened = await vault.open(sealed, context);
    const { purpose, tenantId, id } = context;
    if (!opened.ok && purpose !== "round") await rejected({ tenantId, table: tables[purpose], id });
    return opened;
  },
});
