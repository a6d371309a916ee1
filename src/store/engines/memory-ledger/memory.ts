import { createCounters } from "./counters.ts";
import { createOpenCalls } from "./open-calls.ts";
import type { Sql } from "../contract/sql.ts";
import { createHealthSums, createUsageSums } from "./sums.ts";
import type { LedgerTexts } from "./texts.ts";
import { createNumbers, createScopes, createVersions } from "./tenants.ts";

export const createMemory = (sql: Sql, texts: LedgerTexts) => ({
  versions: createVersions(sql, texts),
  numbers: createNumbers(sql, texts),
  calls: createOpenCalls(sql, texts),
  counters: createCounters(sql, texts),
  scopes: createScopes(sql, texts),
  usage: createUsageSums(sql, texts),
  health: createHealthSums(sql, texts),
});

export type Memory = ReturnType<typeof createMemory>;

export interface LedgerParts {
  sql: Sql;
  texts: LedgerTexts;
  memory: Memory;
}
