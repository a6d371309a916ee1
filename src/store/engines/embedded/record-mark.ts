/**
 * SQLite's recovery silently stops at the first damaged page of the log; comparing with this file shows what
 * was lost.
 */
import { readFileSync, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { createBoundedMap } from "../../../domain/bounded-map.ts";
import type { RecordNumbers } from "../../records/record-numbers.ts";

/** The tenants with the newest records, which are those a damaged log can lose. */
const maxTenants = 1_000;

const markPath = (path: string): string => `${path}.records.json`;

const isNumbers = (value: unknown): value is RecordNumbers =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((last) => Number.isSafeInteger(last));

export function readRecordMark(path: string): RecordNumbers {
  try {
    const found: unknown = JSON.parse(readFileSync(markPath(path), "utf8"));
    return isNumbers(found) ? found : {};
  } catch {
    return {};
  }
}

/** For replacing a database on purpose. */
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
  committed(): void;
  /** Writes the file if a number has changed. Calls must not overlap. */
  note(): Promise<void>;
}

export function createRecordMark(
  path: string,
  read: () => Promise<RecordNumbers | null>,
): RecordMark {
  const known = createBoundedMap<string, readonly [tenantId: string, last: number]>(maxTenants);
  let isDue = true;
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
        // The log reports a full disk already; the file stays out of date.
        isDue = true;
      }
    },
  };
}
