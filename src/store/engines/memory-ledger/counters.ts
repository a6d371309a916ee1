/** Cached counters of limits. Changes of a counter by all calls of a commit group are written once. */
import { asReadable, largestInteger } from "../../../domain/magnitudes.ts";
import {
  usedIn,
  type Buckets,
  type Used,
  type Window,
} from "../../../domain/limits/admission-verdict.ts";
import { lastBucketOf } from "../../../domain/limits/limit-checks.ts";
import type { Bound, CachedTable, Sql } from "../contract/sql.ts";
import type { LedgerTexts } from "./texts.ts";

export interface Counter {
  tenantId: string;
  subject: string;
  resource: string;
}

interface CachedCounter extends Counter {
  /** Oldest bucket from which `buckets` is complete; Infinity before the first read. */
  from: number;
  buckets: Map<number, number>;
  unwritten: Map<number, number> | null;
  /** of the window that was read last */
  sum: { since: number; last: number; used: Used } | null;
}

/** All counters are dropped above this number. */
const maxCounters = 10_000;
/** Buckets older than the window are dropped from counters with more buckets. */
const maxBuckets = 256;

const boundedSum = (a: number, b: number): number => asReadable(a + b) ?? 0;
const addTo = (buckets: Map<number, number>, bucket: number, amount: number): void =>
  void buckets.set(bucket, boundedSum(buckets.get(bucket) ?? 0, amount));

const trim = (cached: CachedCounter, since: number): void => {
  cached.from = since;
  cached.sum = null;
  for (const bucket of cached.buckets.keys()) if (bucket < since) cached.buckets.delete(bucket);
};

/** Also updates the cached sum, unless it reached `largestInteger`, where it would no longer be exact. */
function addToCached(cached: CachedCounter, bucket: number, amount: number): void {
  const before = cached.buckets.get(bucket) ?? 0;
  addTo(cached.buckets, bucket, amount);
  const { sum: kept } = cached;
  if (kept === null || bucket < kept.since || bucket > kept.last) return;
  const used = kept.used.used + (cached.buckets.get(bucket) ?? 0) - before;
  const oldest = Math.min(kept.used.oldest ?? bucket, bucket);
  cached.sum = used < largestInteger ? { ...kept, used: { used, oldest } } : null;
}

export interface Counters extends CachedTable {
  bucketsOf(counter: Counter, since: number): Buckets;
  /** The sum is cached until the window moves, because a minute has up to 61 buckets. */
  usedOf(counter: Counter, window: Window): Used;
  add(counter: Counter, bucket: number, amount: number): void;
}

/** Nested maps by tenant, resource, and subject avoid building and hashing a joined key per counter. */
function createCache() {
  const tenants = new Map<string, Map<string, Map<string, CachedCounter>>>();
  let count = 0;
  return {
    count: (): number => count,
    counterOf({ tenantId, subject, resource }: Counter): CachedCounter {
      let resources = tenants.get(tenantId);
      if (resources === undefined) tenants.set(tenantId, (resources = new Map()));
      let subjects = resources.get(resource);
      if (subjects === undefined) resources.set(resource, (subjects = new Map()));
      let cached = subjects.get(subject);
      if (cached === undefined) {
        const from = Number.POSITIVE_INFINITY;
        cached = {
          tenantId,
          subject,
          resource,
          from,
          buckets: new Map(),
          unwritten: null,
          sum: null,
        };
        subjects.set(subject, cached);
        count += 1;
      }
      return cached;
    },
    clear(): void {
      tenants.clear();
      count = 0;
    },
  };
}

export function createCounters(sql: Sql, texts: LedgerTexts): Counters {
  const cache = createCache();
  let changed: CachedCounter[] = [];

  const read = (cached: CachedCounter, since: number): void => {
    const { tenantId, subject, resource, unwritten } = cached;
    const rows = sql.all(texts.readCounter, [tenantId, subject, resource, since]);
    cached.from = since;
    cached.sum = null;
    cached.buckets = new Map(rows.map(([bucket, amount]) => [Number(bucket), Number(amount)]));
    for (const [bucket, amount] of unwritten ?? [])
      if (bucket >= since) addTo(cached.buckets, bucket, amount);
  };

  /** Uses few large statements, because a statement costs more than a row. */
  const write = (rows: readonly Bound[][]): void => {
    let at = 0;
    for (const { size, text } of texts.addCounters)
      for (; rows.length - at >= size; at += size)
        sql.change(text, rows.slice(at, at + size).flat());
  };

  const cachedSince = (counter: Counter, since: number): CachedCounter => {
    const cached = cache.counterOf(counter);
    if (since < cached.from) read(cached, since);
    if (cached.buckets.size > maxBuckets) trim(cached, since);
    return cached;
  };

  return {
    table: texts.tables.counters,
    bucketsOf: (counter, since) => cachedSince(counter, since).buckets,
    usedOf(counter, window) {
      const { since } = window;
      const cached = cachedSince(counter, since);
      // With `pause`, the window begins after the last pause in usage, so a sum can't be cached.
      if (window.pause !== undefined) return usedIn(cached.buckets, window);
      const last = lastBucketOf(window);
      if (cached.sum?.since !== since || cached.sum.last !== last)
        cached.sum = { since, last, used: usedIn(cached.buckets, window) };
      return cached.sum.used;
    },
    add(counter, bucket, amount) {
      const cached = cache.counterOf(counter);
      if (bucket >= cached.from) addToCached(cached, bucket, amount);
      if (cached.unwritten === null) {
        cached.unwritten = new Map();
        changed.push(cached);
      }
      addTo(cached.unwritten, bucket, amount);
    },
    flush() {
      const rows: Bound[][] = [];
      for (const cached of changed) {
        const { tenantId, subject, resource, unwritten } = cached;
        for (const [bucket, amount] of unwritten ?? [])
          rows.push([tenantId, subject, resource, bucket, amount]);
        cached.unwritten = null;
      }
      changed = [];
      write(rows);
      if (cache.count() > maxCounters) cache.clear();
    },
    forget() {
      cache.clear();
      changed = [];
    },
  };
}
