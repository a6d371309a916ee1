/** The migrations in the Worker's bundle: a Durable Object can't read a folder. A test compares this list with the folder. */
import baseline from "../migrations/0000_baseline.sql";

export const migrations: readonly { name: string; sql: string }[] = [
  { name: "0000_baseline.sql", sql: baseline },
];
