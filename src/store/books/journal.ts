/**
 * The books of a writer that pays for each row, such as a Durable Object. Sums are not written with each call: an
 * admission is its row alone, and a settlement its row and one of the journal. The journal is a ring of rows, so it
 * adds no row to an index and needs no deletion. Sums are written together, before anybody reads or changes their
 * tables, and before the ring comes round. What they lacked when the memory was lost is found again: running calls and
 * recorded refusals by the numbers of their rows, and everything else in the journal.
 */
import type { HealthChange } from "../../domain/choice/health.ts";
import { minuteOf } from "../../domain/audit/thinning.ts";
import { heldIn } from "../held.ts";
import { admitEntry } from "./admit.ts";
import { namesOf, remembersOf, type Books } from "./books.ts";
import type { Answer, Entry, SettleEntry } from "./entries.ts";
import { createMemory, type Memory } from "./memory.ts";
import type { OpenCall } from "./open-calls.ts";
import { settleEntry } from "./settle.ts";
import type { Sql, Statement } from "./sql.ts";
import type { UsageKey } from "./sums.ts";
import type { BookTexts } from "./texts.ts";
import { countRefused } from "./usage.ts";

/** Rows of the ring. */
const places = 512;
/** Entries after which sums are written: some are always free. */
const mostUnwritten = 256;

/** What one entry adds to sums. */
interface Added {
  counters: [tenantId: string, subject: string, resource: string, bucket: number, amount: number][];
  usage: [key: UsageKey, figures: Record<string, number>][];
  health: [tenantId: string, change: HealthChange, now: number][];
}

const nothing = (): Added => ({ counters: [], usage: [], health: [] });

/** A memory that says what was added to its sums. */
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

/** Rows whose numbers are above the last one that was written with the sums. */
function readUncounted(sql: Sql, texts: BookTexts, memory: Memory): number {
  const running = sql.all(texts.readUncountedRunning, []);
  for (const [tenant, number, key, server, holds] of running) {
    const tenantId = String(tenant);
    const row = { tenantId, keyId: String(key), serverId: textOr(server) };
    for (const { subject, resource, bucket, amount } of heldIn(String(holds), row))
      memory.counters.add({ tenantId, subject, resource }, bucket, amount);
    memory.numbers.use(tenantId, Math.max(Number(number), memory.numbers.next(tenantId) - 1));
  }
  const ended = sql.all(texts.readUncountedEnded, []);
  for (const [tenant, number, outcome, reason, createdAt, key, server, model, at] of ended) {
    const tenantId = String(tenant);
    memory.numbers.use(tenantId, Math.max(Number(number), memory.numbers.next(tenantId) - 1));
    // What a settlement adds is in the journal.
    if (outcome !== "refused") continue;
    const [keyId, serverId] = [String(key), textOr(server)];
    const refusals = { tenantId, subject: keyId, resource: "refusals" };
    if (reason === "rate_limited") memory.counters.add(refusals, minuteOf(Number(at)), 1);
    const call = { tenantId, createdAt: Number(createdAt), keyId, serverId };
    countRefused(memory.usage, call, textOr(model));
  }
  return running.length + ended.length;
}

export function createJournaledBooks(sql: Sql, texts: BookTexts): Books {
  const memory = createMemory(sql, texts);
  const recorder = recording(memory);
  const desk = { sql, texts, memory: recorder.memory };
  const remembered = remembersOf(memory);
  const { counters, usage, health, numbers } = texts.tables;
  const lagging = namesOf([counters, usage, health, numbers]);
  /** the last entry of the journal; null: what the sums lack was not read yet */
  let last: number | null = null;
  /** the last entry that the sums have */
  let written = 0;
  let isLagging = false;

  const recover = (): number => {
    if (last !== null) return last;
    // Before the migrations there is nothing that anything could lack.
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
    const answer = settleEntry(desk, entry);
    const added = recorder.take();
    if (answer === null || call === undefined) return answer;
    // Its row runs no more, so nobody will find there what the sums lack.
    if (!isCounted)
      for (const { subject, resource, bucket, amount } of heldIn(call.holds, { ...call, tenantId }))
        added.counters.push([tenantId, subject, resource, bucket, amount]);
    log(added);
    return answer;
  };
  const admit = (entry: Exclude<Entry, SettleEntry>): Answer | null => {
    const next = memory.numbers.next(entry.tenantId);
    const answer = admitEntry(desk, entry);
    const added = recorder.take();
    // A refusal beyond the hundredth of a minute has no row.
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
      if (last !== null && last - written >= mostUnwritten) writeSums();
    },
    forget() {
      for (const each of remembered.all) each.forget();
      last = null;
      isLagging = false;
    },
  };
}
