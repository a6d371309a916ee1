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

export function createHealthSums(sql: Sql, texts: LedgerTexts): HealthSums {
  const sums = new Map<string, { key: Bound[]; samples: Sample[]; now: number }>();
  return {
    table: texts.tables.health,
    add(tenantId, { credentialId, model, sample }, now) {
      const key = [tenantId, credentialId, model];
      const name = key.join("\n");
      const found = sums.get(name);
      if (found === undefined) sums.set(name, { key, samples: [sample], now });
      else {
        found.samples.unshift(sample);
        found.samples.length = Math.min(found.samples.length, keptSamples);
        found.now = now;
      }
    },
    flush() {
      for (const { key, samples, now } of sums.values())
        sql.change(texts.addSamples, [...key, JSON.stringify(samples), now]);
      sums.clear();
    },
    forget: () => sums.clear(),
  };
}
