/** Admits a call. The memory of the books decides, and one row is written. */
import { minuteOf, recordedRefusals } from "../../domain/audit/thinning.ts";
import { nameOfLimit, type Hold } from "../../domain/limits/holds.ts";
import { countedOfRuns, isMoney } from "../../domain/limits/resources.ts";
import { usedIn, verdictOn, waitFor, type Used } from "../../domain/limits/standing.ts";
import { heldText } from "../held.ts";
import type { AdmitEntry, Answer } from "./entries.ts";
import type { Desk } from "./memory.ts";
import { heldBy } from "./open-calls.ts";
import type { Bound } from "./sql.ts";
import { countRefused } from "./usage.ts";

const noServer = "";

const holdsIn = (claim: readonly Bound[], at: number): Hold[] =>
  JSON.parse(String(claim[at])) as Hold[];

/** Whether the key has this session and the session lives. A session that gets a new expiry is marked as used now. */
function useSession({ sql, texts }: Desk, entry: AdmitEntry): boolean {
  const { session, tenantId, keyId, now } = entry;
  if (session === null) return true;
  const ids = [session.id, tenantId, keyId, now];
  return session.expiresAt === null
    ? sql.all(texts.findSession, ids).length > 0
    : sql.change(texts.touchSession, [now, session.expiresAt, ...ids]) > 0;
}

function heldByAnother({ sql, texts }: Desk, entry: AdmitEntry): Answer | null {
  const { replay, tenantId, keyId, serverId, now, id } = entry;
  if (replay === null) return null;
  const key = [tenantId, keyId, serverId ?? noServer, replay.key];
  const [row] = sql.all(texts.findReplay, [...key, now, id]);
  if (row === undefined) return null;
  return { state: "repeated", requestId: String(row[0]), contentSha256: String(row[1]) };
}

function usedOf({ memory }: Desk, { tenantId, now }: AdmitEntry, hold: Hold): Used {
  if (hold.resource === "concurrent")
    return { used: memory.calls.count(tenantId, hold, now), oldest: null };
  const { subject, resource } = hold;
  return usedIn(memory.counters.bucketsOf({ tenantId, subject, resource }, hold.since), hold);
}

/** What the call asks for: nothing of new runs, if its run goes on. */
const askedIn = ({ memory }: Desk, tenantId: string, holds: readonly Hold[]): Hold[] =>
  holds.map((hold) => {
    if (hold.begins === undefined) return hold;
    const { subject, since } = hold.begins;
    const run = { tenantId, subject, resource: countedOfRuns };
    const goesOn = [...memory.counters.bucketsOf(run, 0).keys()].some((bucket) => bucket >= since);
    return goesOn ? { ...hold, amount: 0 } : hold;
  });

const standingOf = (desk: Desk, entry: AdmitEntry, holds: readonly Hold[]): (number | null)[] =>
  holds.flatMap((hold) => {
    const { used, oldest } = usedOf(desk, entry, hold);
    return [used, oldest];
  });

/** False: a row has the id already. */
const insert = (
  { sql, texts }: Desk,
  claim: readonly Bound[],
  row: readonly Bound[],
  decided: Bound[],
) => sql.change(texts.insertRequest, [...row.slice(0, texts.claimAt), ...claim, ...decided]) > 0;

function refuse(
  desk: Desk,
  entry: AdmitEntry,
  { holds, least, position }: { holds: Hold[]; least: Hold[]; position: number },
): Answer | null {
  const { memory } = desk;
  const { tenantId, keyId, now, codes } = entry;
  const hold = holds[position] as Hold;
  const { subject, resource } = hold;
  const retryAfterMs = waitFor(hold, {
    least: (least[position] ?? hold).amount,
    buckets:
      resource === "concurrent"
        ? new Map()
        : memory.counters.bucketsOf({ tenantId, subject, resource }, hold.since),
    now,
  });
  const isThinnable = !isMoney(hold.resource);
  const refusals = { tenantId, subject: keyId, resource: "refusals" };
  const minute = minuteOf(now);
  const before = isThinnable ? (memory.counters.bucketsOf(refusals, minute).get(minute) ?? 0) : 0;
  const claim = [...(entry.smaller ?? entry.row.slice(desk.texts.claimAt))];
  const number = memory.numbers.next(tenantId);
  if (before < recordedRefusals) {
    claim[desk.texts.holdsAt] = "[]";
    const reason = isThinnable ? "rate_limited" : "budget_exceeded";
    const decided = [number, codes.limited, null, "refused", reason, nameOfLimit(hold), now];
    if (!insert(desk, claim, entry.row, [...decided, position, retryAfterMs, 1])) return null;
    memory.numbers.use(tenantId, number);
  }
  if (isThinnable) memory.counters.add(refusals, minute, 1);
  countRefused(memory.usage, entry, claim[desk.texts.modelAt] ?? null);
  return { state: "refused", position, retryAfterMs, standing: standingOf(desk, entry, holds) };
}

function admitClaim(
  desk: Desk,
  entry: AdmitEntry,
  { holds, kept, isBeyond }: { holds: Hold[]; kept: Hold[]; isBeyond: boolean },
): Answer | null {
  const { memory, sql, texts } = desk;
  const { tenantId, keyId, serverId, replay, codes, leaseUntil, now, id } = entry;
  const smaller = isBeyond ? entry.smaller : null;
  const claim = [...(smaller ?? entry.row.slice(texts.claimAt))];
  claim[texts.holdsAt] = heldText(kept);
  const number = memory.numbers.next(tenantId);
  const code = smaller === null ? codes.admitted : codes.smaller;
  const decided = [number, code, now, "admitted", null, null, null, null, null, 1];
  // The running calls are read before the row is written. Otherwise this call would be among them twice.
  const calls = memory.calls.of(tenantId);
  if (!insert(desk, claim, entry.row, decided)) return null;
  if (replay !== null) {
    const key = [tenantId, keyId, serverId ?? noServer, replay.key];
    sql.change(texts.claimReplay, [...key, id, replay.contentSha256, replay.expiresAt, now]);
  }
  memory.numbers.use(tenantId, number);
  const model = claim[desk.texts.modelAt];
  calls.set(id, {
    keyId,
    serverId,
    leaseUntil,
    approvedAt: null,
    admittedAt: now,
    model: model === null || model === undefined ? null : String(model),
    ...heldBy(String(claim[desk.texts.holdsAt])),
    number,
  });
  for (const { subject, resource, bucket, amount } of kept)
    if (resource !== "concurrent")
      memory.counters.add({ tenantId, subject, resource }, bucket, amount);
  return {
    state: "admitted",
    number,
    claimed: smaller === null ? "first" : "smaller",
    standing: standingOf(desk, entry, holds),
  };
}

/**
 * null: the tenant's version is another one, the call's row was written before, or the session is over. Then the
 * ledger's own SQL says what became of the call.
 */
export function admitEntry(desk: Desk, entry: AdmitEntry): Answer | null {
  const { memory, texts } = desk;
  if (memory.versions.of(entry.tenantId) !== entry.tenantVersion) return null;
  if (memory.calls.of(entry.tenantId).has(entry.id)) return null;
  if (!useSession(desk, entry)) return null;
  const repeated = heldByAnother(desk, entry);
  if (repeated !== null) return repeated;
  const asked = (claim: readonly Bound[], at: number): Hold[] =>
    askedIn(desk, entry.tenantId, holdsIn(claim, at));
  const holds = asked(entry.row, texts.claimAt + texts.holdsAt);
  const least = entry.smaller === null ? holds : asked(entry.smaller, texts.holdsAt);
  const used = holds.map((hold) => usedOf(desk, entry, hold));
  const { isBeyond, refusedBy } = verdictOn(holds, { least, used });
  return refusedBy === null
    ? admitClaim(desk, entry, { holds, kept: isBeyond ? least : holds, isBeyond })
    : refuse(desk, entry, { holds, least, position: refusedBy });
}
