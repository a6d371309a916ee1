import { env } from "cloudflare:workers";
import { describe } from "vitest";
import { openD1 } from "../../src/store/db.ts";
import { wipe, type Backend } from "../contract/store/open.ts";
import { storeSuites } from "../contract/store/suites.ts";

const d1: Backend = {
  name: "D1",
  migrations: env.MIGRATIONS,
  async open() {
    const db = openD1(env.DB);
    await wipe(db);
    return { db, close: async () => {} };
  },
  again: async (options) => ({ db: openD1(env.DB, options), close: async () => {} }),
};

describe("D1 in workerd", () => storeSuites(d1));
