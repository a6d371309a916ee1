/**
 * A small file beside the database with the last record number of each tenant, at most a second old. SQLite ends its
 * recovery at the first damaged page of the log without an error, so only another file shows what the log lost.
 */
import { readFileSync, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { createBoundedMap } from "../../../domain/bounded-map.ts";
import type { RecordNumbers } from "../../records/record-numbers.ts";

/** Tenants in the file: those with the newest records. What a log can lose is new. */
const mostTenants = 1_000;

const markPath = (path: string): string => `${path}.records.json`;

const isNumbers = (value: unknown): value is RecordNumbers =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((last) => Number.isSafeInteger(last));

/** Nothing is known without a readable file: a database of before, or a write that the power cut off. */
export function readRecordMark(path: string): RecordNumbers {
  try {
    const found: unknown = JSON.parse(readFileSync(markPath(path), "utf8"));
    return isNumbers(found) ? found : {};
  } catch {
    return {};
  }
}

/** For a database that another one replaces on purpose. */
export const removeRecordMark = (path: string): void => rmSync(markPath(path), { force: true });

async function replace(path: string, text: string): Promise<void> {
  const whole = `${path}.writing`;
  const file = await open(whole, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(whole, path);
}

export interface RecordMark {
  /** Call after each commit. */
  committed(): void;
  /** Writes the file if a commit has changed a number since the last call. One call at a time. */
  note(): Promise<void>;
}

/** @param read the committed numbers; null: they can't be read now */
export function createRecordMark(
  path: string,
  read: () => Promise<RecordNumbers | null>,
): RecordMark {
  const known = createBoundedMap<string, readonly [tenantId: string, last: number]>(mostTenants);
  let isDue = true;
  // The first file replaces the one of the run before.
  let isStale = true;
  return {
    committed() {
      isDue = true;
    },
    async note() {
      if (!isDue) return;
      isDue = false;
      const numbers = await read();
      if (numbers === null) {
        isDue = true;
        return;
      }
      const changed = Object.entries(numbers).filter(([id, last]) => known.get(id)?.[1] !== last);
      for (const each of changed) known.set(each[0], each);
      isStale ||= changed.length > 0;
      if (!isStale) return;
      try {
        await replace(markPath(path), `${JSON.stringify(Object.fromEntries(known.values()))}\n`);
        isStale = false;
      } catch {
        // A full disk, for example, which the log reports already. The file stays as old as it is.
        isDue = true;
      }
    },
  };
}
