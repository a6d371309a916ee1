import type { ProviderMessage } from "../../../domain/audit/capture.ts";
import type { AttemptSummary } from "../../../domain/attempts.ts";
import type { Policy } from "../../../domain/choice/policy.ts";
import { err } from "../../../domain/result.ts";
import type { AttemptsMade } from "./attempt.ts";

/** Messages and attempts are in call order. */
function withMessages(
  attempts: readonly AttemptSummary[],
  messages: readonly ProviderMessage[],
): AttemptSummary[] {
  const left = [...messages];
  return attempts.map((attempt) => {
    const at = left.findIndex(
      ({ provider, model }) => provider === attempt.provider && model === attempt.model,
    );
    const [found] = at === -1 ? [] : left.splice(at, 1);
    return found === undefined ? attempt : { ...attempt, message: found.message };
  });
}

/** @param asking a registered server reads none, since a message may quote the prompt */
export function providerMessages(policy: Policy, asking: "caller" | "server") {
  const messages: ProviderMessage[] = [];
  const isKept = policy.providerMessages !== false;
  const isReturned = policy.returnProviderMessages === true && asking === "caller";
  return {
    listener:
      isKept || isReturned
        ? { onMessage: (message: ProviderMessage) => void messages.push(message) }
        : {},
    kept: (): ProviderMessage[] => (isKept ? messages : []),
    withProviderMessages(answer: AttemptsMade["answer"]): AttemptsMade["answer"] {
      if (answer.ok || !isReturned || !("attempts" in answer.error)) return answer;
      return err({ ...answer.error, attempts: withMessages(answer.error.attempts, messages) });
    },
  };
}
