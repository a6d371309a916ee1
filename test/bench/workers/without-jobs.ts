/** The router whose objects never wake for their jobs: the figures of a minute without jobs, as the version before D1 went. */
import worker, { TenantDatabase as Real } from "../../../src/worker.ts";

export { ParkedCall } from "../../../src/worker.ts";

export class TenantDatabase extends Real {
  override async alarm(): Promise<void> {}
}

export default worker;
