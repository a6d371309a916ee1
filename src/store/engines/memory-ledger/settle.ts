import { isMoney, isTokens, type Resource } from "../../../domain/limits/resources.ts";
import { storedChecksIn } from "../../rows/stored-limit-checks.ts";
import type { Answer, SettleEntry } from "../contract/entries.ts";
import type { LedgerParts } from "./memory.ts";
import { countSettled } from "./usage.ts";

const chargeOf = (resource: Resource, entry: SettleEntry): number | null => {
  if (isTokens(resource)) return entry.chargedTokens;
  return isMoney(resource) ? entry.chargedMicroUsd : null;
};

/** `null` if the call isn't running, or if it closes a circuit with faults. */
export function settleEntry(
  { sql, memory, texts }: LedgerParts,
  entry: SettleEntry,
): Answer | null {
  const { id, tenantId } = entry;
  const calls = memory.calls.of(tenantId);
  const call = calls.get(id);
  if (call === undefined) return null;
  const failing = memory.scopes.of(tenantId);
  if (entry.closes.some((scope) => failing.has(scope))) return null;
  const limitChecks = storedChecksIn(call.limitChecks, { ...call, tenantId });
  if (sql.change(texts.endRequest, [...entry.row, id, tenantId]) === 0) return null;
  for (const kept of entry.kept) sql.change(kept.sql, kept.params);
  calls.delete(id);
  for (const { subject, resource, bucket, amount } of limitChecks) {
    const charge = chargeOf(resource, entry);
    if (charge !== null)
      memory.counters.add({ tenantId, subject, resource }, bucket, charge - amount);
  }
  countSettled(memory.usage, entry, call);
  for (const change of entry.health) memory.health.add(tenantId, change, entry.now);
  return { state: "settled" };
}
