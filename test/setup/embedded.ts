/** The embedded engine as a store's database. */
import type { EmbeddedEngine } from "../../src/store/engines/embedded/engine.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import { lastingBackend, type Backend } from "../contract/store/open.ts";
import { readMigrations } from "./migrations.ts";

/** One engine for all tests of a file; its database is emptied before each. */
export const embeddedBackend = (engine: () => EmbeddedEngine): Backend =>
  lastingBackend({
    name: "embedded engine",
    migrations: readMigrations(),
    histories: 12,
    connect: (options) => ({ db: openOverEngine(engine(), options), close: async () => {} }),
  });
