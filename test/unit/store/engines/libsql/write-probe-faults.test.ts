/** What a health check calls the codes with which SQLite refuses a write. */
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { raw } from "../../../../../src/store/db.ts";
import { openOverEngine } from "../../../../../src/store/over-engine.ts";

it.each([
  // As libsql answers on an ext4 file system that an error has made read-only.
  ["SQLITE_IOERR_WRITE", "disk I/O error", "read_only"],
  ["SQLITE_IOERR_FSYNC", "disk I/O error", "read_only"],
  ["SQLITE_READONLY", "attempt to write a readonly database", "read_only"],
  ["SQLITE_IOERR_READ", "disk I/O error", "refused"],
  ["SQLITE_FULL", "database or disk is full", "full"],
  ["SQLITE_CORRUPT", "database disk image is malformed", "corrupt"],
])("a write that ends with %s: %s is %s", async (code, message, fault) => {
  const db = openOverEngine({
    write: async () => ({ ok: false, fault: { code, message } }),
    read: async () => ({ ok: true, rows: [] }),
  });
  expect(await db.probe(raw(sql`select 1`), 1_000)).toBe(fault);
});
