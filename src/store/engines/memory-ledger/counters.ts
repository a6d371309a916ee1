/** Cached counters of limits. All calls of a group share one write of a counter. */
import { asReadable, largestInteger } from "../../../domain/magnitudes.ts";
import {
  usedIn,
  type Buckets,
  type Used,
  type Window,
} from "../../../domain/limits/admission-verdict.ts";
import { lastBucketOf } from "../../../domain/limits/limit-checks.ts";
import type { Bound, Remembered, Sql } from "../contract/sql.ts";
import type { LedgerTexts } from "./texts.ts";

export interface Counter {
  tenantId: string;
  subject: string;
  resource: string;
}

interface Line extends Counter {
  /** Oldest bucket from which `buckets` is complete; Infinity before the first read. */
  from: number;
  buckets: Map<number, number>;
  unwritten: Map<number, number> | null;
  /** last sum that was asked for */
  sum: { since: number; last: number; used: Used } | null;
}

/** Bounded memory: a counter has as many buckets as rows that are not yet pruned. */
const linesKept = 10_000;
/** Above this, buckets older than the window are dropped. */
const bucketsKept = 256;

const sum = (a: number, b: number): number => asReadable(a + b) ?? 0;
const addTo = (buckets: Map<number, number>, bucket: number, amount: number): void =>
  void buckets.set(bucket, sum(buckets.get(bucket) ?? 0, amount));

const trim = (line: Line, since: number): void => {
  line.from = since;
  line.sum = null;
  for (const bucket of line.buckets.keys()) if (bucket < since) line.buckets.delete(bucket);
};

/** Keeps the sum, unless it reached the largest number that can be written. */
function addToLine(line: Line, bucket: number, amount: number): void {
  const before = line.buckets.get(bucket) ?? 0;
  addTo(line.buckets, bucket, amount);
  const { sum: kept } = line;
  if (kept === null || bucket < kept.since || bucket > kept.last) return;
  const used = kept.used.used + (line.buckets.get(bucket) ?? 0) - before;
  const oldest = Math.min(kept.used.oldest ?? bucket, bucket);
  line.sum = used < largestInteger ? { ...kept, used: { used, oldest } } : null;
}

export interface Counters extends Remembered {
  bucketsOf(counter: Counter, since: number): Buckets;
  /** Sums a window. Kept until the window moves, because a minute has up to 61 buckets. */
  usedOf(counter: Counter, window: Window): Used;
  add(counter: Counter, bucket: number, amount: number): void;
}

/** Nested maps by tenant, resource, and subject avoid building and hashing a joined key per counter. */
function createLines() {
  const tenants = new Map<string, Map<string, Map<string, Line>>>();
  let count = 0;
  return {
    count: (): number => count,
    lineOf({ tenantId, subject, resource }: Counter): Line {
      let resources = tenants.get(tenantId);
      if (resources === undefined) tenants.set(tenantId, (resources = new Map()));
      let subjects = resources.get(resource);
      if (subjects === undefined) resources.set(resource, (subjects = new Map()));
      let line = subjects.get(subject);
      if (line === undefined) {
        const from = Number.POSITIVE_INFINITY;
        line = {
          tenantId,
          subject,
          resource,
          from,
          buckets: new Map(),
          unwritten: null,
          sum: null,
        };
        subjects.set(subject, line);
        count += 1;
      }
      return line;
    },
    clear(): void {
      tenants.clear();
      count = 0;
    },
  };
}

export function createCounters(sql: Sql, texts: LedgerTexts): Counters {
  const lines = createLines();
  let changed: Line[] = [];

  const read = (line: Line, since: number): void => {
    const { tenantId, subject, resource, unwritten } = line;
    const rows = sql.all(texts.readCounter, [tenantId, subject, resource, since]);
    line.from = since;
    line.sum = null;
    line.buckets = new Map(rows.map(([bucket, amount]) => [Number(bucket), Number(amount)]));
    for (const [bucket, amount] of unwritten ?? [])
      if (bucket >= since) addTo(line.buckets, bucket, amount);
  };

  /** Few large statements: a statement costs more than a row. */
  const write = (rows: readonly Bound[][]): void => {
    let at = 0;
    for (const { size, text } of texts.addCounters)
      for (; rows.length - at >= size; at += size)
        sql.change(text, rows.slice(at, at + size).flat());
  };

  const lineSince = (counter: Counter, since: number): Line => {
    const line = lines.lineOf(counter);
    if (since < line.from) read(line, since);
    if (line.buckets.size > bucketsKept) trim(line, since);
    return line;
  };

  return {
    table: texts.tables.counters,
    bucketsOf: (counter, since) => lineSince(counter, since).buckets,
    usedOf(counter, window) {
      const { since } = window;
      const line = lineSince(counter, since);
      // A pause moves the beginning of the window with every use.
      if (window.pause !== undefined) return usedIn(line.buckets, window);
      const last = lastBucketOf(window);
      if (line.sum?.since !== since || line.sum.last !== last)
        line.sum = { since, last, used: usedIn(line.buckets, window) };
      return line.sum.used;
    },
    add(counter, bucket, amount) {
      const line = lines.lineOf(counter);
      if (bucket >= line.from) addToLine(line, bucket, amount);
      if (line.unwritten === null) {
        line.unwritten = new Map();
        changed.push(line);
      }
      addTo(line.unwritten, bucket, amount);
    },
    flush() {
      const rows: Bound[][] = [];
      for (const line of changed) {
        const { tenantId, subject, resource, unwritten } = line;
        for (const [bucket, amount] of unwritten ?? [])
          rows.push([tenantId, subject, resource, bucket, amount]);
        line.unwritten = null;
      }
      changed = [];
      write(rows);
      if (lines.count() > linesKept) lines.clear();
    },
    forget() {
      lines.clear();
      changed = [];
    },
  };
}
