/** Streams: each ends within seconds when its caller may read no more. */
import { isStopped, stoppedBy } from "../../../domain/choice/switches.ts";
import type { Policy } from "../../../domain/choice/policy.ts";
import { refusalTable, type Refusal } from "../../../domain/refusals.ts";
import type { Result } from "../../../domain/result.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { ApprovalNeed } from "../../../domain/sampling/approval.ts";
import type { SamplingRequest } from "../request/sampling-request.ts";
import { createStreamAttempts, type StreamAttempts, type StreamDeps } from "./stream-attempts.ts";

export interface Streaming {
  attempts: StreamAttempts;
  signal: AbortSignal;
  /** ms for all attempts up to the first content */
  deadlineMs(policy: Policy): number;
  end(): Refusal | null;
}

function refusalOf(
  read: Result<Caller, Refusal>,
  attempts: Pick<StreamAttempts, "model">,
): Refusal | null {
  // What the database can't say for once ends nothing.
  if (!read.ok) return refusalTable[read.error.reason].retryable ? null : read.error;
  const { tenant, key } = read.value.snapshot;
  const stopped = stoppedBy({ tenant, keyId: key.id, server: null });
  const model = attempts.model();
  const { stopped: switches = {} } = tenant.policy;
  if (stopped !== null || model === null || !isStopped(model, switches)) return stopped;
  const name = `${model.provider}/${model.id}`;
  return { reason: "stopped", kind: "model", name, explanation: "The model has been stopped." };
}

export function createStreams(deps: StreamDeps) {
  const { limits, after, elapsed } = deps;
  /** reads that several streams of one caller share */
  const reads = new Map<string, { at: number; read: Promise<Result<Caller, Refusal>> }>();
  const readOnce = ({
    caller,
    reauthenticate,
  }: SamplingRequest): Promise<Result<Caller, Refusal>> => {
    const known = reads.get(caller.memoryKey);
    if (known !== undefined && elapsed() - known.at < limits.watchMs / 2) return known.read;
    const read = reauthenticate();
    reads.set(caller.memoryKey, { at: elapsed(), read });
    return read;
  };

  return {
    begin({
      request,
      approval,
      signal,
    }: {
      request: SamplingRequest;
      approval: ApprovalNeed | null;
      signal: AbortSignal;
    }): Streaming | null {
      if (request.reader === undefined) return null;
      // An answer that a person has to approve is given out afterwards.
      const isHeld = approval?.stages.includes("result") === true;
      const reader = isHeld ? null : request.reader;
      const ending = new AbortController();
      const router = ending.signal;
      const attempts = createStreamAttempts(deps, { reader, caller: signal, router });
      let refusal: Refusal | null = null;
      let isOver = false;
      let disarm = (): void => {};
      const look = async (): Promise<void> => {
        const found = refusalOf(await readOnce(request), attempts);
        if (isOver) return;
        refusal = found;
        if (refusal === null) disarm = after(limits.watchMs, () => void look());
        else ending.abort();
      };
      disarm = after(limits.watchMs, () => void look());
      return {
        attempts,
        signal: AbortSignal.any([signal, router]),
        deadlineMs: (policy) => policy.deadlineMs ?? limits.firstEventMs,
        end() {
          isOver = true;
          disarm();
          reads.delete(request.caller.memoryKey);
          return refusal;
        },
      };
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
