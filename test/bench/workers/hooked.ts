/** The router whose objects do what the bench says: wait with everything for a while, or leave their memory. */
import type { DurableObjectNamespace, DurableObjectState } from "@cloudflare/workers-types";
import worker, { TenantDatabase as Real } from "../../../src/worker.ts";

/** How often an object began to run: when it was first asked, and whenever it was asked after an eviction. */
let woken = 0;

export { ParkedCall } from "../../../src/worker.ts";

export class TenantDatabase extends Real {
  constructor(ctx: DurableObjectState, env: ConstructorParameters<typeof Real>[1]) {
    super(ctx, env);
    woken += 1;
  }

  override async alarm(): Promise<void> {}

  /** Answers nobody for so many ms. The thread that other objects share here goes on. */
  async block(ms: number): Promise<void> {
    const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    this.ctx.waitUntil(this.ctx.blockConcurrencyWhile(wait));
  }

  /** What an eviction does: the memory is gone, the storage stays. */
  async leave(): Promise<void> {
    this.ctx.abort("evicted by the bench");
  }
}

export type Hook = { databases: string[] } & (
  | { what: "block"; ms: number }
  | { what: "leave" }
  /** Does nothing, and asks for the count. */
  | { what: "count" }
);

export interface Hooking {
  woken: number;
}

interface Hooked {
  block(ms: number): Promise<void>;
  leave(): Promise<void>;
}

async function act(namespace: DurableObjectNamespace, hook: Hook): Promise<void> {
  await Promise.all(
    hook.databases.map(async (name) => {
      if (hook.what === "count") return;
      const object = namespace.getByName(name) as unknown as Hooked;
      if (hook.what === "block") return object.block(hook.ms);
      // Whoever asked an object that leaves gets an error.
      return object.leave().catch(() => undefined);
    }),
  );
}

export default {
  async fetch(
    request: Request,
    env: Record<"DATABASES" | "PARKED_CALLS", DurableObjectNamespace>,
  ): Promise<Response> {
    if (new URL(request.url).pathname !== "/bench/hook") return worker.fetch(request, env);
    await act(env.DATABASES, (await request.json()) as Hook);
    return Response.json({ woken } satisfies Hooking);
  },
};
