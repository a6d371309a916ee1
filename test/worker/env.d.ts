/** What `vitest.config.ts` binds for the tests that run in workerd, and what of the runtime's own module is used. */
declare module "cloudflare:workers" {
  import type { DurableObjectNamespace } from "@cloudflare/workers-types";

  export const env: {
    BARE: DurableObjectNamespace;
    MIGRATIONS: { name: string; sql: string }[];
  };
}
