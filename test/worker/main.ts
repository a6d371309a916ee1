/** The Worker of the tests that run in workerd. It has two classes more: a bare database, and a small one. */
import { DurableObject, RpcTarget } from "cloudflare:workers";
import type { DurableObjectState } from "@cloudflare/workers-types";
import { ledgerTexts } from "../../src/store/engines/memory-ledger/texts.ts";
import type { Statement } from "../../src/store/engines/contract/sql.ts";
import {
  createObjectEngine,
  type ObjectEngine,
} from "../../src/store/engines/durable/object-engine.ts";
import type { Job, Outcome } from "../../src/store/engines/contract/engine.ts";
import { ParkedCall, TenantDatabase } from "../../src/worker.ts";

export { ParkedCall, TenantDatabase };

/** A tenant's object that is full at one megabyte. */
export class SmallDatabase extends TenantDatabase {
  constructor(ctx: DurableObjectState, env: ConstructorParameters<typeof TenantDatabase>[1]) {
    super(ctx, { ...env, TENANT_DATABASE_MB: "1" });
  }
}

class BareEngine extends RpcTarget {
  readonly #engine: ObjectEngine;
  constructor(engine: ObjectEngine) {
    super();
    this.#engine = engine;
  }
  write(job: Job): Outcome {
    return this.#engine.write(job);
  }
  read(statements: readonly Statement[]): Outcome {
    return this.#engine.read(statements);
  }
}

/**
 * Only the engine in an object, for suites that make and drop tables. The engine is asked by RPC itself: before each
 * call of an object's own method, vitest's plugin looks whether the module of its class has changed.
 */
export class BareDatabase extends DurableObject<unknown> {
  readonly #engine: ObjectEngine;
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#engine = createObjectEngine({ storage: ctx.storage, texts: ledgerTexts });
  }
  engine(): BareEngine {
    return new BareEngine(this.#engine);
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) };
