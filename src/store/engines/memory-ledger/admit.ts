import { minuteOf, recordedRefusals } from "../../../domain/audit/thinning.ts";
import { lastBucketOf, nameOfLimit, type LimitCheck } from "../../../domain/limits/limit-checks.ts";
import { countedOfRuns, isMoney, isTokens } from "../../../domain/limits/resources.ts";
import {
  beginningOf,
  verdictOn,
  waitFor,
  type ClaimChecks,
  type Reserved,
  type Used,
  type Verdict,
} from "../../../domain/limits/admission-verdict.ts";
import { limitChecksText, slotSubjectsAmong } from "../../rows/stored-limit-checks.ts";
import type { AdmitEntry, Answer } from "../contract/entries.ts";
import type { LedgerParts } from "./memory.ts";
import type { Bound } from "../contract/sql.ts";
import { countRefused } from "./usage.ts";

const noServer = "";

function useSession({ sql, texts }: LedgerParts, entry: AdmitEntry): boolean {
  const { session, tenantId, keyId, now } = entry;
  if (session === null) return true;
  const ids = [session.id, tenantId, keyId, now];
  return session.expiresAt === null
    ? sql.all(texts.findSession, ids).length > 0
    : sql.change(texts.touchSession, [now, session.expiresAt, ...ids]) > 0;
}

function claimedByAnother({ sql, texts }: LedgerParts, entry: AdmitEntry): Answer | null {
  const { replay, tenantId, keyId, serverId, now, id } = entry;
  if (replay === null) return null;
  const key = [tenantId, keyId, serverId ?? noServer, replay.key];
  const [row] = sql.all(texts.findReplay, [...key, now, id]);
  if (row === undefined) return null;
  return { state: "repeated", requestId: String(row[0]), contentSha256: String(row[1]) };
}

function usedOf({ memory }: LedgerParts, { tenantId, now }: AdmitEntry, check: LimitCheck): Used {
  if (check.resource === "concurrent")
    return { used: memory.calls.count(tenantId, check, now), oldest: null };
  const { subject, resource } = check;
  return memory.counters.usedOf({ tenantId, subject, resource }, check);
}

/** Limits of new runs ask for nothing if the run continues. */
const askedIn = (
  { memory }: LedgerParts,
  tenantId: string,
  limitChecks: readonly LimitCheck[],
): LimitCheck[] =>
  limitChecks.map((check) => {
    if (check.begins === undefined) return check;
    const { subject, since } = check.begins;
    const run = { tenantId, subject, resource: countedOfRuns };
    const isContinued = [...memory.counters.bucketsOf(run, 0).keys()].some(
      (bucket) => bucket >= since,
    );
    return isContinued ? { ...check, amount: 0 } : check;
  });

const currentUsageOf = (
  parts: LedgerParts,
  entry: AdmitEntry,
  limitChecks: readonly LimitCheck[],
): (number | null)[] =>
  limitChecks.flatMap((check) => {
    const { used, oldest } = usedOf(parts, entry, check);
    return [used, oldest];
  });

/** Running reservations that may be returned. A request count is never returned. */
const reservedOf = (
  { memory }: LedgerParts,
  { tenantId, now }: AdmitEntry,
  check: LimitCheck,
): Reserved => {
  const { subject, resource, since } = check;
  if (!isMoney(resource) && !isTokens(resource)) return { amount: 0, until: null };
  const buckets = memory.counters.bucketsOf({ tenantId, subject, resource }, since);
  const from = beginningOf(buckets, check);
  return memory.calls.reserved(
    tenantId,
    { subject, resource, from, last: lastBucketOf(check) },
    now,
  );
};

interface Decided {
  claims: readonly ClaimChecks[];
  limitChecks: readonly LimitCheck[];
}

const insert = (
  { sql, texts }: LedgerParts,
  { row, claim }: { row: readonly Bound[]; claim: readonly Bound[] },
  decided: Bound[],
) => sql.change(texts.insertRequest, [...row, ...claim, ...decided]) > 0;

function refuse(
  parts: LedgerParts,
  entry: AdmitEntry,
  { claims, limitChecks, verdict }: Decided & { verdict: Verdict & { state: "refused" } },
): Answer | null {
  const { memory, texts } = parts;
  const { tenantId, keyId, now } = entry;
  const { rung, position, leaseUntil } = verdict;
  if (leaseUntil !== null && entry.mayWait) return { state: "waits" };
  const check = claims[rung]?.limitChecks[position] as LimitCheck;
  const { subject, resource } = check;
  const retryAfterMs = waitFor(check, {
    buckets:
      resource === "concurrent"
        ? new Map()
        : memory.counters.bucketsOf({ tenantId, subject, resource }, check.since),
    now,
    leaseUntil,
  });
  const isThinnable = !isMoney(check.resource);
  const refusals = { tenantId, subject: keyId, resource: "refusals" };
  const minute = minuteOf(now);
  const before = isThinnable ? (memory.counters.bucketsOf(refusals, minute).get(minute) ?? 0) : 0;
  const claim = [...(entry.claims[0]?.values ?? [])];
  const number = memory.numbers.next(tenantId);
  if (before < recordedRefusals) {
    claim[texts.limitChecksAt] = "[]";
    const reason = isThinnable ? "rate_limited" : "budget_exceeded";
    const decided = [number, entry.limitedCode, null, "refused", reason, nameOfLimit(check), now];
    const place = rung * limitChecks.length + position;
    if (!insert(parts, { ...entry, claim }, [...decided, place, retryAfterMs])) return null;
    memory.numbers.use(tenantId, number);
  }
  if (isThinnable) memory.counters.add(refusals, minute, 1);
  countRefused(memory.usage, entry, claim[texts.modelAt] ?? null);
  const currentUsage = currentUsageOf(parts, entry, limitChecks);
  return { state: "refused", rung, position, retryAfterMs, currentUsage };
}

function admitClaim(
  parts: LedgerParts,
  entry: AdmitEntry,
  { claims, limitChecks, rung }: Decided & { rung: number },
): Answer | null {
  const { memory, sql, texts } = parts;
  const { tenantId, keyId, serverId, replay, leaseUntil, now, id } = entry;
  const { values = [], code = null } = entry.claims[rung] ?? {};
  const kept = claims[rung]?.limitChecks ?? [];
  const claim = [...values];
  const text = limitChecksText(kept);
  claim[texts.limitChecksAt] = text;
  const number = memory.numbers.next(tenantId);
  const decided = [number, code, now, "admitted", null, null, null, null, null];
  // Must be read before the row is written, or this call would be included.
  const calls = memory.calls.of(tenantId);
  if (!insert(parts, { ...entry, claim }, decided)) return null;
  if (replay !== null) {
    const key = [tenantId, keyId, serverId ?? noServer, replay.key];
    sql.change(texts.claimReplay, [...key, id, replay.contentSha256, replay.expiresAt, now]);
  }
  memory.numbers.use(tenantId, number);
  const model = claim[texts.modelAt];
  calls.set(id, {
    keyId,
    serverId,
    leaseUntil,
    approvedAt: null,
    admittedAt: now,
    model: model === null || model === undefined ? null : String(model),
    limitChecks: text,
    slots: slotSubjectsAmong(kept),
    number,
  });
  for (const { subject, resource, bucket, amount } of kept)
    if (resource !== "concurrent")
      memory.counters.add({ tenantId, subject, resource }, bucket, amount);
  return {
    state: "admitted",
    number,
    rung,
    currentUsage: currentUsageOf(parts, entry, limitChecks),
  };
}

/** `null` if the tenant's version differs, the row exists, or the session has ended; SQL then decides. */
export function admitEntry(parts: LedgerParts, entry: AdmitEntry): Answer | null {
  const { memory, texts } = parts;
  if (memory.versions.of(entry.tenantId) !== entry.tenantVersion) return null;
  if (memory.calls.of(entry.tenantId).has(entry.id)) return null;
  if (!useSession(parts, entry)) return null;
  const repeated = claimedByAnother(parts, entry);
  if (repeated !== null) return repeated;
  const claims = entry.claims.map(({ values, shortens }): ClaimChecks => {
    let limitChecks: LimitCheck[] | undefined;
    return {
      shortens,
      // Lazy, since most calls take their first claim.
      get limitChecks() {
        const text = String(values[texts.limitChecksAt]);
        return (limitChecks ??= askedIn(parts, entry.tenantId, JSON.parse(text) as LimitCheck[]));
      },
    };
  });
  const limitChecks = claims[0]?.limitChecks ?? [];
  const used = limitChecks.map((check) => usedOf(parts, entry, check));
  const reserved = new Map<number, Reserved>();
  const verdict = verdictOn(claims, {
    used,
    reservedOf(position) {
      const known = reserved.get(position);
      const found = known ?? reservedOf(parts, entry, limitChecks[position] as LimitCheck);
      if (known === undefined) reserved.set(position, found);
      return found;
    },
  });
  return verdict.state === "admitted"
    ? admitClaim(parts, entry, { claims, limitChecks, rung: verdict.rung })
    : refuse(parts, entry, { claims, limitChecks, verdict });
}
