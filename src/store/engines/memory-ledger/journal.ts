/**
 * For a writer that pays for each row, such as a Durable Object: an admission writes one row, a settlement two,
 * a refusal without a row only a journal entry. Totals are written later, in one batch.
 *
 * The journal is a ring, so it needs no index and no deletions. After an object loses its memory, record
 * numbers show which calls were not counted, and the journal has the rest.
 */
import type { HealthChange } from "../../../domain/choice/health.ts";
import { minuteOf } from "../../../domain/audit/thinning.ts";
import { storedChecksIn } from "../../rows/stored-limit-checks.ts";
import { admitEntry } from "./admit.ts";
import { namesOf, remembersOf, type MemoryLedger } from "./memory-ledger.ts";
import type { Answer, Entry, SettleEntry } from "../contract/entries.ts";
import { createMemory, type Memory } from "./memory.ts";
import type { OpenCall } from "./open-calls.ts";
import { settleEntry } from "./settle.ts";
import type { Sql, Statement } from "../contract/sql.ts";
import type { UsageKey } from "./sums.ts";
import type { LedgerTexts } from "./texts.ts";
import { countRefused } from "./usage.ts";

const places = 512;
/** Entries after which sums are written, well below the size of the ring. */
const maxUnwritten = 256;

interface Added {
  counters: [tenantId: string, subject: string, resource: string, bucket: number, amount: number][];
  usage: [key: UsageKey, figures: Record<string, number>][];
  health: [tenantId: string, change: HealthChange, now: number][];
}

const nothing = (): Added => ({ counters: [], usage: [], health: [] });

function recording(memory: Memory): { memory: Memory; take: () => Added } {
  let added = nothing();
  return {
    take() {
      const taken = added;
      added = nothing();
      return taken;
    },
    memory: {
      ...memory,
      counters: {
        ...memory.counters,
        add(counter, bucket, amount) {
          const { tenantId, subject, resource } = counter;
          added.counters.push([tenantId, subject, resource, bucket, amount]);
          memory.counters.add(counter, bucket, amount);
        },
      },
      usage: {
        ...memory.usage,
        add(key, figures) {
          added.usage.push([key, figures]);
          memory.usage.add(key, figures);
        },
      },
      health: {
        ...memory.health,
        add(tenantId, change, now) {
          added.health.push([tenantId, change, now]);
          memory.health.add(tenantId, change, now);
        },
      },
    },
  };
}

function replay(memory: Memory, { counters, usage, health }: Added): void {
  for (const [tenantId, subject, resource, bucket, amount] of counters)
    memory.counters.add({ tenantId, subject, resource }, bucket, amount);
  for (const [key, figures] of usage) memory.usage.add(key, figures);
  for (const [tenantId, change, now] of health) memory.health.add(tenantId, change, now);
}

const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null);

function readUncounted(sql: Sql, texts: LedgerTexts, memory: Memory): number {
  const running = sql.all(texts.readUncountedRunning, []);
  for (const [tenant, number, key, server, limitChecks] of running) {
    const tenantId = String(tenant);
    const row = { tenantId, keyId: String(key), serverId: textOr(server) };
    for (const { subject, resource, bucket, amount } of storedChecksIn(String(limitChecks), row))
      memory.counters.add({ tenantId, subject, resource }, bucket, amount);
    memory.numbers.use(tenantId, Math.max(Number(number), memory.numbers.next(tenantId) - 1));
  }
  const ended = sql.all(texts.readUncountedEnded, []);
  for (const [tenant, number, outcome, reason, createdAt, key, server, model, at] of ended) {
    const tenantId = String(tenant);
    memory.numbers.use(tenantId, Math.max(Number(number), memory.numbers.next(tenantId) - 1));
    // Settlements come from the journal.
    if (outcome !== "refused") continue;
    const [keyId, serverId] = [String(key), textOr(server)];
    const refusals = { tenantId, subject: keyId, resource: "refusals" };
    if (reason === "rate_limited") memory.counters.add(refusals, minuteOf(Number(at)), 1);
    const call = { tenantId, createdAt: Number(createdAt), keyId, serverId };
    countRefused(memory.usage, call, textOr(model));
  }
  return running.length + ended.length;
}

export function createJournaledLedger(sql: Sql, texts: LedgerTexts): MemoryLedger {
  const memory = createMemory(sql, texts);
  const recorder = recording(memory);
  const parts = { sql, texts, memory: recorder.memory };
  const remembered = remembersOf(memory);
  const { counters, usage, health, numbers } = texts.tables;
  const lagging = namesOf([counters, usage, health, numbers]);
  let last: number | null = null;
  let written = 0;
  let isLagging = false;

  const recover = (): number => {
    if (last !== null) return last;
    // No tables before the migrations.
    if (sql.all(texts.findJournal, []).length === 0) return 0;
    written = Number(sql.all(texts.readJournalMark, [])[0]?.[0] ?? 0);
    let found = written;
    for (const [number, entry] of sql.all(texts.readJournal, [written])) {
      replay(memory, JSON.parse(String(entry)) as Added);
      found = Number(number);
    }
    isLagging = readUncounted(sql, texts, memory) > 0 || found > written;
    last = found;
    return found;
  };
  const writeSums = (): void => {
    const through = recover();
    if (!isLagging) return;
    for (const each of remembered.all) each.flush();
    sql.change(texts.markJournal, [through]);
    written = through;
    isLagging = false;
  };
  const log = (added: Added): void => {
    const number = recover() + 1;
    sql.change(texts.writeJournal, [number % places, number, JSON.stringify(added)]);
    last = number;
  };
  const settle = (entry: SettleEntry): Answer | null => {
    const { id, tenantId } = entry;
    const call: OpenCall | undefined = memory.calls.of(tenantId).get(id);
    const isCounted = call !== undefined && call.number <= memory.numbers.written(tenantId);
    const answer = settleEntry(parts, entry);
    const added = recorder.take();
    if (answer === null || call === undefined) return answer;
    // `readUncountedRunning` no longer finds this call, whose row has ended.
    if (!isCounted)
      for (const { subject, resource, bucket, amount } of storedChecksIn(call.limitChecks, {
        ...call,
        tenantId,
      }))
        added.counters.push([tenantId, subject, resource, bucket, amount]);
    log(added);
    return answer;
  };
  const admit = (entry: Exclude<Entry, SettleEntry>): Answer | null => {
    const next = memory.numbers.next(entry.tenantId);
    const answer = admitEntry(parts, entry);
    const added = recorder.take();
    // Refusals beyond a hundred a minute have no row: see `recordedRefusals`.
    if (answer?.state === "refused" && memory.numbers.next(entry.tenantId) === next) log(added);
    return answer;
  };
  return {
    enter(entry) {
      recover();
      const answer = entry.kind === "admit" ? admit(entry) : settle(entry);
      if (answer !== null && answer.state !== "repeated") isLagging = true;
      return answer;
    },
    makeWay(statements: readonly Statement[]) {
      const named = remembered.namedIn(statements);
      if (named.length > 0) writeSums();
      return () => {
        for (const each of named) each.forget();
      };
    },
    lag: (statements) =>
      (last === null || isLagging) && statements.some(({ sql: text }) => lagging.test(text)),
    flush() {
      if (last !== null && last - written >= maxUnwritten) writeSums();
    },
    forget() {
      for (const each of remembered.all) each.forget();
      last = null;
      isLagging = false;
    },
  };
}
