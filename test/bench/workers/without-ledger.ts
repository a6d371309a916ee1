/** The router that asks nobody to admit or settle: what the Worker costs without its ledger. */
import type { DurableObjectNamespace, DurableObjectStub } from "@cloudflare/workers-types";
import type { Job, Outcome } from "../../../src/store/engines/contract/engine.ts";
import worker, { TenantDatabase as Real } from "../../../src/worker.ts";
import { entered, isEntry } from "./entered.ts";

export { ParkedCall } from "../../../src/worker.ts";

export class TenantDatabase extends Real {
  override async alarm(): Promise<void> {}
}

interface Asked {
  write(job: Job): Promise<Outcome>;
  read(statements: unknown): Promise<Outcome>;
}

const stubOf = (real: DurableObjectStub): Asked => {
  const object = real as unknown as Asked;
  return {
    write: async (job) => (isEntry(job) ? entered(job) : object.write(job)),
    read: (statements) => object.read(statements),
  };
};

const namespaceOf = (real: DurableObjectNamespace): DurableObjectNamespace =>
  ({
    idFromName: (name: string) => real.idFromName(name),
    getByName: (name: string) => stubOf(real.getByName(name)),
  }) as unknown as DurableObjectNamespace;

export default {
  fetch: (
    request: Request,
    env: Record<"DATABASES" | "PARKED_CALLS", DurableObjectNamespace>,
  ): Promise<Response> => worker.fetch(request, { ...env, DATABASES: namespaceOf(env.DATABASES) }),
};
