/** Counters of limits. A counter is read from memory, and all calls of a group share one write of it. */
import { asReadable } from "../../domain/magnitudes.ts";
import type { Buckets } from "../../domain/limits/standing.ts";
import type { Remembered, Sql } from "./sql.ts";
import type { BookTexts } from "./texts.ts";

/** Names a counter: whose it is, and what it counts. */
export interface Counter {
  tenantId: string;
  subject: string;
  resource: string;
}

interface Line extends Counter {
  /** `buckets` has every bucket of the counter that is not older than this one. */
  from: number;
  buckets: Map<number, number>;
}

/** A line has at most as many buckets as its counter has rows that were not pruned yet. */
const linesKept = 10_000;
/** A line with more buckets forgets those that its window has left behind. */
const bucketsKept = 256;

const keyOf = ({ tenantId, subject, resource }: Counter): string =>
  `${tenantId}\n${subject}\n${resource}`;
const sum = (a: number, b: number): number => asReadable(a + b) ?? 0;

const trim = (line: Line, since: number): void => {
  line.from = since;
  for (const bucket of line.buckets.keys()) if (bucket < since) line.buckets.delete(bucket);
};

export interface Counters extends Remembered {
  /** The buckets of a counter, at least those from `since` on. */
  bucketsOf(counter: Counter, since: number): Buckets;
  add(counter: Counter, bucket: number, amount: number): void;
}

export function createCounters(sql: Sql, texts: BookTexts): Counters {
  const lines = new Map<string, Line>();
  /** Amounts that the rows lack, by counter and bucket. */
  const unwritten = new Map<string, { counter: Counter; buckets: Map<number, number> }>();

  const read = (counter: Counter, since: number): Line => {
    const { tenantId, subject, resource } = counter;
    const rows = sql.all(texts.readCounter, [tenantId, subject, resource, since]);
    const buckets = new Map(rows.map(([bucket, amount]) => [Number(bucket), Number(amount)]));
    for (const [bucket, amount] of unwritten.get(keyOf(counter))?.buckets ?? [])
      if (bucket >= since) buckets.set(bucket, sum(buckets.get(bucket) ?? 0, amount));
    return { tenantId, subject, resource, from: since, buckets };
  };

  return {
    table: texts.tables.counters,
    bucketsOf(counter, since) {
      const key = keyOf(counter);
      let line = lines.get(key);
      if (line === undefined || since < line.from) {
        line = read(counter, since);
        lines.set(key, line);
      }
      if (line.buckets.size > bucketsKept) trim(line, since);
      return line.buckets;
    },
    add(counter, bucket, amount) {
      const key = keyOf(counter);
      const line = lines.get(key);
      if (line !== undefined && bucket >= line.from)
        line.buckets.set(bucket, sum(line.buckets.get(bucket) ?? 0, amount));
      let waiting = unwritten.get(key);
      if (waiting === undefined) {
        waiting = { counter, buckets: new Map() };
        unwritten.set(key, waiting);
      }
      waiting.buckets.set(bucket, sum(waiting.buckets.get(bucket) ?? 0, amount));
    },
    flush() {
      const rows = [...unwritten.values()].flatMap(({ counter, buckets }) => {
        const { tenantId, subject, resource } = counter;
        return [...buckets].map(([bucket, amount]) => [
          tenantId,
          subject,
          resource,
          bucket,
          amount,
        ]);
      });
      if (rows.length > 0) sql.change(texts.addCounters, [JSON.stringify(rows)]);
      unwritten.clear();
      if (lines.size > linesKept) lines.clear();
    },
    forget() {
      lines.clear();
      unwritten.clear();
    },
  };
}
