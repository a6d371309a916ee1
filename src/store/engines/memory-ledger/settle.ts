/** Ends a running call. The call's row is rewritten, and everything else is added to sums in memory. */
import { isMoney, isTokens, type Resource } from "../../../domain/limits/resources.ts";
import { heldIn } from "../../rows/row-holds.ts";
import type { Answer, SettleEntry } from "../contract/entries.ts";
import type { Desk } from "./memory.ts";
import { countSettled } from "./usage.ts";

/** What a settlement charges to a resource; null: the resource is not charged anew. */
const chargeOf = (resource: Resource, entry: SettleEntry): number | null => {
  if (isTokens(resource)) return entry.chargedTokens;
  return isMoney(resource) ? entry.chargedMicroUsd : null;
};

/** null: the call does not run, or it closes a circuit in which something failed. */
export function settleEntry({ sql, memory, texts }: Desk, entry: SettleEntry): Answer | null {
  const { id, tenantId } = entry;
  const calls = memory.calls.of(tenantId);
  const call = calls.get(id);
  if (call === undefined) return null;
  const failing = memory.scopes.of(tenantId);
  if (entry.closes.some((scope) => failing.has(scope))) return null;
  const holds = heldIn(call.holds, { ...call, tenantId });
  if (sql.change(texts.endRequest, [...entry.row, id, tenantId]) === 0) return null;
  for (const kept of entry.kept) sql.change(kept.sql, kept.params);
  calls.delete(id);
  for (const { subject, resource, bucket, amount } of holds) {
    const charge = chargeOf(resource, entry);
    if (charge !== null)
      memory.counters.add({ tenantId, subject, resource }, bucket, charge - amount);
  }
  countSettled(memory.usage, entry, call);
  for (const change of entry.health) memory.health.add(tenantId, change, entry.now);
  return { state: "settled" };
}
