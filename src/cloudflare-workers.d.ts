/** The runtime's own module, as far as the router uses it. The package of its types makes them all global. */
declare module "cloudflare:workers" {
  import type { DurableObjectState } from "@cloudflare/workers-types";

  /** keeps the invocation that calls it alive for that work */
  export function waitUntil(work: Promise<unknown>): void;

  export abstract class DurableObject<Env> {
    protected ctx: DurableObjectState;
    protected env: Env;
    constructor(ctx: DurableObjectState, env: Env);
  }
}
