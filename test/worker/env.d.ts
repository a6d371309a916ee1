/** What `vitest.config.ts` binds for the tests that run in workerd. */
declare module "cloudflare:workers" {
  import type { D1Database } from "@cloudflare/workers-types";

  export const env: {
    DB: D1Database;
    MIGRATIONS: { name: string; sql: string }[];
  };
}
