/** A Durable Object with the engine and nothing else, which counts the rows that its statements write. */
import { DurableObject } from "cloudflare:workers";
import type { DurableObjectState } from "@cloudflare/workers-types";
import { ledgerTexts } from "../../../src/store/engines/memory-ledger/texts.ts";
import type { Statement } from "../../../src/store/engines/contract/sql.ts";
import {
  createObjectEngine,
  type ObjectEngine,
} from "../../../src/store/engines/durable/object-engine.ts";
import type { Job, Outcome } from "../../../src/store/engines/contract/engine.ts";

export class CountingDatabase extends DurableObject<unknown> {
  readonly #engine: ObjectEngine;
  #written: number[] = [];

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#engine = createObjectEngine({
      storage: ctx.storage,
      texts: ledgerTexts,
      onWritten: (rows) => this.#written.push(rows),
    });
  }
  write(job: Job): Outcome {
    return this.#engine.write(job);
  }
  read(statements: readonly Statement[]): Outcome {
    return this.#engine.read(statements);
  }
  /** Rows that each statement wrote, those of indexes counted, since this was asked last. */
  takeWritten(): number[] {
    const written = this.#written;
    this.#written = [];
    return written;
  }
  bytes(): number {
    return this.ctx.storage.sql.databaseSize;
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) };
