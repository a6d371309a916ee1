/** The router whose objects answer admissions and settlements, and write nothing: what the two RPCs cost alone. */
import type { Job, Outcome } from "../../../src/store/engines/contract/engine.ts";
import worker, { TenantDatabase as Real } from "../../../src/worker.ts";
import { entered, isEntry } from "./entered.ts";

export { ParkedCall } from "../../../src/worker.ts";

export class TenantDatabase extends Real {
  override async alarm(): Promise<void> {}
  override async write(job: Job): Promise<Outcome> {
    return isEntry(job) ? entered(job) : super.write(job);
  }
}

export default worker;
