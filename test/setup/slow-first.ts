/** The order of the test files: a slow one that began last would keep everybody waiting for a single worker. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those that take longest, longest first. What is not named comes after, in vitest's own order. */
const slow = [
  "contract/store/sqld-grouped",
  "contract/store/sqld",
  "interop/conformance",
  "contract/embedded/crashes",
  "flow/proxy-abandoned",
  "flow/soak",
  "flow/fuzz",
  "flow/soak-crashes",
  "flow/crash",
  "flow/proxy-modern",
  "worker/store",
  "flow/failover",
  "flow/proxy-modes",
  "flow/proxy-ambiguous",
  "flow/shards",
  "flow/proxy-policies",
  "interop/bridge",
  "interop/sdk-examples",
  "contract/store/embedded",
  "unit/mcp/codec",
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = slow.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? slow.length : place;
};

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Not `super.sort`, which the linter takes for an array's.
    const inOwnOrder = await BaseSequencer.prototype.sort.call(this, files);
    return inOwnOrder.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
