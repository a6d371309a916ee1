import { env } from "cloudflare:workers";
import { describe } from "vitest";
import { openD1 } from "../../src/store/db.ts";
import { lastingBackend } from "../contract/store/open.ts";
import { storeSuites } from "../contract/store/suites.ts";

const d1 = lastingBackend({
  name: "D1",
  migrations: env.MIGRATIONS,
  connect: (options) => ({ db: openD1(env.DB, options), close: async () => {} }),
});

describe("D1 in workerd", () => storeSuites(d1));
