import { sql, type SQL } from "drizzle-orm";
import { maxFaults, type CircuitChange, type CircuitFault } from "../../domain/choice/circuits.ts";
import { latestLeaseEnd } from "../../domain/leases.ts";
import type { CircuitProbe } from "../../domain/ports/ledger.ts";
import { raw, type Compiled } from "../db.ts";

interface Settling {
  tenantId: string;
  requestId: string;
  now: number;
  condition: SQL;
}

function faultStatement(
  { tenantId, requestId, now, condition }: Settling,
  { scope, ...fault }: CircuitFault & { scope: string },
): Compiled {
  const kept = JSON.stringify(fault);
  // A claim identifies the state by its time, so times must be unique.
  return raw(sql`
    insert into circuits (tenant_id, scope, faults, probe_id, probe_until, updated_at)
    select ${tenantId}, ${scope}, ${`[${kept}]`}, null, null, ${now}
    where ${condition}
    on conflict (tenant_id, scope) do update set
      faults = (
        select json_group_array(json(value)) from (
          select value from (
            select ${kept} as value, -1 as position
            union all select value, key from json_each(circuits.faults))
          order by position limit ${maxFaults})),
      probe_until = case when probe_id = ${requestId} then null else probe_until end,
      probe_id = case when probe_id = ${requestId} then null else probe_id end,
      updated_at = max(excluded.updated_at, updated_at + 1)`);
}

export function circuitStatements(
  settling: Settling,
  { changes, probed }: { changes: readonly CircuitChange[]; probed: boolean },
): Compiled[] {
  const { tenantId, requestId, condition } = settling;
  const statements = changes.flatMap(({ closes, fault }): Compiled[] => [
    ...(closes.length === 0
      ? []
      : [
          raw(sql`
            delete from circuits where tenant_id = ${tenantId} and ${condition}
              and scope in (select value from json_each(${JSON.stringify(closes)}))`),
        ]),
    ...(fault === null ? [] : [faultStatement(settling, fault)]),
  ]);
  const release = raw(sql`
    update circuits set probe_id = null, probe_until = null
    where tenant_id = ${tenantId} and probe_id = ${requestId} and ${condition}`);
  return probed ? [...statements, release] : statements;
}

interface Claim {
  tenantId: string;
  requestId: string;
  probes: readonly CircuitProbe[];
  now: number;
  /** ms since the epoch by which the call has ended in any case */
  until: number;
}

/** Claims circuits for probing, if they are unclaimed and in the state that the choice saw. */
export const claimProbes = (
  { tenantId, requestId, probes, now, until }: Claim,
  condition: SQL,
): Compiled =>
  raw(sql`
    update circuits set probe_id = ${requestId}, probe_until = ${until}
    where tenant_id = ${tenantId} and (probe_until is null or probe_until <= ${now}
        or probe_until > ${latestLeaseEnd(now)})
      and exists (
        select 1 from json_each(${JSON.stringify(probes)}) p
        where p.value ->> 'scope' = circuits.scope
          and p.value ->> 'updatedAt' = circuits.updated_at)
      and ${condition}`);

/** Circuits claimed by another call or changed since the choice. A missing row means that the circuit closed. */
export const blockedProbes = ({ tenantId, requestId, probes }: Claim): Compiled =>
  raw(sql`
    select scope from circuits
    where tenant_id = ${tenantId} and coalesce(probe_id, '') <> ${requestId}
      and scope in (select value ->> 'scope' from json_each(${JSON.stringify(probes)}))`);
