/** The order of the test files: a slow one that began last would keep everybody waiting for a single worker. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those that take longest, longest first. What is not named comes after, in vitest's own order. */
const slow = [
  "worker/store",
  "interop/conformance",
  "interop/packages",
  "contract/store/sqld-grouped",
  "flow/proxy-abandoned",
  "flow/proxy-modern",
  "flow/soak-crashes",
  "flow/soak-streams",
  "flow/console",
  "contract/embedded/crashes",
  "flow/crash",
  "flow/soak",
  "flow/dev",
  "flow/failover",
  "flow/isolation",
  "flow/fuzz",
  "flow/proxy-modes",
  "contract/store/sqld",
  "flow/start",
  "contract/store/embedded",
  "flow/proxy-policies",
  "interop/bridge",
  "flow/soak-leavers",
  "flow/telemetry",
  "flow/proxy-once",
  "flow/audit",
  "contract/start/backup",
  "flow/idempotency",
  "flow/flood",
  "contract/export/tampering",
  "interop/stdio-proxy",
  "interop/sdk-examples",
  "unit/mcp/codec",
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = slow.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? slow.length : place;
};

/**
 * The projects' order. vitest ends a process that runs files without isolation, and starts another, as soon as the next
 * file in the queue is another project's. In blocks there are four processes for each project, not twenty.
 */
const blocks = ["workerd", "worker", "node"];

const blockOf = ({ project }: TestSpecification): number => blocks.indexOf(project.name);

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Not `super.sort`, which the linter takes for an array's.
    const inOwnOrder = await BaseSequencer.prototype.sort.call(this, files);
    return inOwnOrder.toSorted(
      (one, other) => blockOf(one) - blockOf(other) || placeOf(one) - placeOf(other),
    );
  }
}
