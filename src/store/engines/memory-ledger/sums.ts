/** All calls of a group share one write of a sum. */
import { keptSamples, type HealthChange, type Sample } from "../../../domain/choice/health.ts";
import { asReadable } from "../../../domain/magnitudes.ts";
import type { Bound, CachedTable, Sql } from "../contract/sql.ts";
import type { LedgerTexts } from "./texts.ts";

export type UsageKey = [
  tenantId: string,
  hour: number,
  keyId: string,
  serverId: string,
  model: string,
];

export interface UsageSums extends CachedTable {
  /** @param figures by column; absent figures are 0 */
  add(key: UsageKey, figures: Record<string, number>): void;
}

export function createUsageSums(sql: Sql, texts: LedgerTexts): UsageSums {
  const sums = new Map<string, { key: UsageKey; figures: number[] }>();
  return {
    table: texts.tables.usage,
    add(key, figures) {
      const name = key.join("\n");
      let found = sums.get(name);
      if (found === undefined) {
        found = { key, figures: texts.usageFigures.map(() => 0) };
        sums.set(name, found);
      }
      for (const [at, column] of texts.usageFigures.entries())
        found.figures[at] = asReadable((found.figures[at] ?? 0) + (figures[column] ?? 0)) ?? 0;
    },
    flush() {
      for (const { key, figures } of sums.values())
        sql.change(texts.addUsage, [...key, ...figures]);
      sums.clear();
    },
    forget: () => sums.clear(),
  };
}

export interface HealthSums extends CachedTable {
  add(tenantId: string, change: HealthChange, now: number): void;
}

interface CachedSamples {
  key: Bound[];
  /** newest first */
  samples: Sample[];
  updatedAt: number;
}

/** All samples are dropped above this number of lists. */
const maxLists = 1_000;

export function createHealthSums(sql: Sql, texts: LedgerTexts): HealthSums {
  const lists = new Map<string, CachedSamples>();
  const unwritten = new Set<CachedSamples>();
  const read = (key: Bound[]): Sample[] => {
    const [row] = sql.all(texts.readSamples, key);
    return row === undefined ? [] : (JSON.parse(String(row[0])) as Sample[]);
  };
  return {
    table: texts.tables.health,
    add(tenantId, { credentialId, model, sample }, now) {
      const key = [tenantId, credentialId, model];
      const name = key.join("\n");
      let found = lists.get(name);
      if (found === undefined) {
        found = { key, samples: read(key), updatedAt: now };
        lists.set(name, found);
      }
      found.samples.unshift(sample);
      found.samples.length = Math.min(found.samples.length, keptSamples);
      found.updatedAt = now;
      unwritten.add(found);
    },
    flush() {
      for (const { key, samples, updatedAt } of unwritten)
        sql.change(texts.writeSamples, [...key, JSON.stringify(samples), updatedAt]);
      unwritten.clear();
      if (lists.size > maxLists) lists.clear();
    },
    forget() {
      lists.clear();
      unwritten.clear();
    },
  };
}
