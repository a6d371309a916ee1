/** Who reads what providers said of a call's failed attempts, by the tenant's policy. */
import type { ProviderMessage } from "../../../domain/audit/capture.ts";
import type { AttemptSummary } from "../../../domain/attempts.ts";
import type { Policy } from "../../../domain/choice/policy.ts";
import { err } from "../../../domain/result.ts";
import type { Attempted } from "./attempt.ts";

/** The attempts, each with its own message. Both are in the order of the calls. */
function withMessages(
  attempts: readonly AttemptSummary[],
  said: readonly ProviderMessage[],
): AttemptSummary[] {
  const left = [...said];
  return attempts.map((attempt) => {
    const at = left.findIndex(
      ({ provider, model }) => provider === attempt.provider && model === attempt.model,
    );
    const [found] = at === -1 ? [] : left.splice(at, 1);
    return found === undefined ? attempt : { ...attempt, message: found.message };
  });
}

/**
 * @param asking a registered server reads no messages: they may quote the prompt of the client that is asked for, and
 *   the server is not the tenant's own
 */
export function providerMessages(policy: Policy, asking: "caller" | "server") {
  const said: ProviderMessage[] = [];
  const isKept = policy.providerMessages !== false;
  const isTold = policy.tellProviderMessages === true && asking === "caller";
  return {
    listener:
      isKept || isTold ? { onMessage: (message: ProviderMessage) => void said.push(message) } : {},
    /** what the record keeps */
    kept: (): ProviderMessage[] => (isKept ? said : []),
    /** the answer as its caller reads it */
    told(answer: Attempted["answer"]): Attempted["answer"] {
      if (answer.ok || !isTold || !("attempts" in answer.error)) return answer;
      return err({ ...answer.error, attempts: withMessages(answer.error.attempts, said) });
    },
  };
}
