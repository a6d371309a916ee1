import { isMoney, isTokens } from "../../../domain/limits/resources.ts";
import type { PassedRequest } from "../../../domain/passing.ts";
import type { SamplingCall } from "../../../domain/sampling/call.ts";
import type { LimitCheck } from "../../../domain/limits/limit-checks.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { SamplingRequest } from "./sampling-request.ts";

/** `null` after an approver's edit. A limit is added only if it reserves or lowers something. */
export function passedOf(
  {
    request: { passed, call },
    caller,
  }: { request: Pick<SamplingRequest, "passed" | "call">; caller: Caller },
  planned: SamplingCall,
  limitChecks: readonly LimitCheck[],
): { passed?: PassedRequest } {
  if (passed === undefined || planned.endpoint === undefined) return {};
  const isLowered = call.ok && planned.maxTokens < call.value.maxTokens;
  const isReserved = limitChecks.some(({ resource }) => isTokens(resource) || isMoney(resource));
  return { passed: { ...passed(caller), addsLimit: isLowered || isReserved } };
}
