/** What the tables must say of each other once everything has ended. */
import { recordedRefusals } from "../../src/domain/audit/thinning.ts";
import type { Tenant, World } from "./world.ts";

export interface RecordRow {
  id: string;
  outcome: string;
  reason: string | null;
  contentSha256: string;
  /** ms since the epoch, the moment in which the limits counted the call */
  admittedAt: number;
  tokens: number;
  microUsd: number;
}

export async function recordsOf(
  world: Pick<World, "query">,
  { id }: Pick<Tenant, "id">,
): Promise<RecordRow[]> {
  const rows = await world.query(
    `select id, outcome, reason, content_sha256, admitted_at,
       coalesce(input_tokens, 0) + coalesce(output_tokens, 0) as tokens,
       coalesce(cost_micro_usd, 0) as micro_usd
     from sampling_requests where tenant_id = ?`,
    [id],
  );
  return rows.map((row) => ({
    id: String(row["id"]),
    outcome: String(row["outcome"]),
    reason: row["reason"] === null ? null : String(row["reason"]),
    contentSha256: String(row["content_sha256"]),
    admittedAt: Number(row["admitted_at"]),
    tokens: Number(row["tokens"]),
    microUsd: Number(row["micro_usd"]),
  }));
}

/** Refusals that were counted and not recorded, or recorded together as one. */
async function thinnedOf(world: Pick<World, "query">, { id }: Pick<Tenant, "id">): Promise<number> {
  const [waiting] = await world.query(
    `select sum(max(0, amount - ${recordedRefusals})) as requests from counters
     where tenant_id = ? and resource = 'refusals'`,
    [id],
  );
  const [together] = await world.query(
    `select sum(reason_detail ->> 'requests' - 1) as requests from sampling_requests
     where tenant_id = ? and reason = 'rate_limited' and json_valid(reason_detail)`,
    [id],
  );
  return Number(waiting?.["requests"] ?? 0) + Number(together?.["requests"] ?? 0);
}

const outcomes = ["succeeded", "failed", "refused", "cancelled", "unknown"];
const sum = (rows: readonly RecordRow[], of: (row: RecordRow) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

/** Usage and budgets against the records; `rates` too, while no counter of a minute has been pruned. */
export async function reconciled(
  world: Pick<World, "query">,
  tenant: Pick<Tenant, "id">,
  about: { rates: boolean },
): Promise<string[]> {
  const rows = await recordsOf(world, tenant);
  const faults: string[] = [];
  const equal = (what: string, is: unknown, should: number): void => {
    if (Number(is ?? 0) !== should) faults.push(`${what}: ${String(is)} and not ${should}`);
  };
  const [usage] = await world.query(
    `select ${outcomes.map((name) => `sum(${name}) as ${name}`).join(", ")},
       sum(input_tokens + output_tokens) as tokens, sum(cost_micro_usd) as micro_usd
     from usage where tenant_id = ?`,
    [tenant.id],
  );
  const thinned = await thinnedOf(world, tenant);
  for (const name of outcomes) {
    const recorded = rows.filter(({ outcome }) => outcome === name).length;
    equal(`usage, ${name}`, usage?.[name], recorded + (name === "refused" ? thinned : 0));
  }
  equal(
    "usage, tokens",
    usage?.["tokens"],
    sum(rows, ({ tokens }) => tokens),
  );
  equal(
    "usage, micro-USD",
    usage?.["micro_usd"],
    sum(rows, ({ microUsd }) => microUsd),
  );
  const counters = await world.query(
    `select subject, resource, sum(amount) as amount from counters where tenant_id = ?
     group by subject, resource`,
    [tenant.id],
  );
  const admitted = rows.filter(({ outcome }) => outcome !== "refused");
  const should: Record<string, number> = {
    usd_day: sum(admitted, ({ microUsd }) => microUsd),
    usd_month: sum(admitted, ({ microUsd }) => microUsd),
    ...(about.rates && {
      requests: admitted.length,
      tokens: sum(admitted, ({ tokens }) => tokens),
    }),
  };
  for (const { subject, resource, amount } of counters)
    if (should[String(resource)] !== undefined)
      equal(
        `counter ${String(subject)} ${String(resource)}`,
        amount,
        should[String(resource)] ?? 0,
      );
  const open = rows.filter(({ outcome }) => outcome === "admitted").length;
  equal("records that never ended", open, 0);
  return faults;
}
