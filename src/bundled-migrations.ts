/** Migrations for the Worker's bundle, since Durable Objects can't read a folder. A test compares both. */
import baseline from "../migrations/0000_baseline.sql";

export const migrations: readonly { name: string; sql: string }[] = [
  { name: "0000_baseline.sql", sql: baseline },
];
