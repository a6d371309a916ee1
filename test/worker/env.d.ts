/** What `vitest.config.ts` binds for the tests that run in workerd, and what of the runtime's own modules is used. */
declare module "cloudflare:workers" {
  import type { DurableObjectNamespace } from "@cloudflare/workers-types";

  export const RpcTarget: new () => object;

  export const env: {
    BARE: DurableObjectNamespace;
    DATABASES: DurableObjectNamespace;
    PARKED_CALLS: DurableObjectNamespace;
    SMALL: DurableObjectNamespace;
    MIGRATIONS: { name: string; sql: string }[];
    MASTER_KEY: string;
    ADMIN_TOKEN: string;
  };
}

declare module "cloudflare:test" {
  import type { DurableObjectState, DurableObjectStub } from "@cloudflare/workers-types";

  /** Acts inside of the object. */
  export function runInDurableObject<T>(
    stub: DurableObjectStub,
    act: (instance: unknown, state: DurableObjectState) => T | Promise<T>,
  ): Promise<T>;
  /** Whether an alarm was set, and so ran. */
  export function runDurableObjectAlarm(stub: DurableObjectStub): Promise<boolean>;
  /** Ends the object's instance; its storage stays. */
  export function evictDurableObject(stub: DurableObjectStub): Promise<void>;
  export function abortAllDurableObjects(): Promise<void>;
  /** Deletes all rows of all objects. */
  export function reset(): Promise<void>;
}

/**
 * A Worker of a file's own: `worker.ts` keeps what it made of its first settings, and the other files of the runtime
 * have other settings.
 */
declare module "*/worker.ts?overload" {
  const worker: {
    fetch(request: Request, env: object): Promise<Response>;
  };
  export default worker;
}
declare module "*/worker.ts?regions" {
  const worker: {
    fetch(request: Request, env: object): Promise<Response>;
  };
  export default worker;
}
declare module "*/worker.ts?parked" {
  const worker: {
    fetch(request: Request, env: object): Promise<Response>;
  };
  export default worker;
}
