/** Whether a provider's answer is what was asked for. Pure; a fault says what is wrong with it. */
import type { FaultKind, ProviderFault } from "./attempts.ts";
import type { ProviderAnswer } from "./providers.ts";
import { err, ok, type Result } from "./result.ts";
import type { SamplingCall } from "./sampling.ts";
import { cutToVisible } from "./visible-text.ts";

/** The provider answered, and charges for it, but not with what was asked. */
const notAsAsked = (kind: FaultKind, { usage }: ProviderAnswer): ProviderFault => ({
  kind,
  status: 200,
  retryable: true,
  retryAfterMs: null,
  billed: "maybe",
  reach: "model",
  usage,
});

function isJson(answer: ProviderAnswer): boolean {
  const texts = answer.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  try {
    JSON.parse(texts.join(""));
    return true;
  } catch {
    return false;
  }
}

/** The answer as the caller gets it, or why it is none. */
export function checkAnswer(
  whole: ProviderAnswer,
  call: SamplingCall,
): Result<ProviderAnswer, ProviderFault> {
  const answer = cutToVisible(whole, call.maxTokens);
  const wantsJson = call.format === "json" && call.outputModalities.includes("text");
  // A tool use is no answer yet, and a cut one is the caller's own limit.
  if (wantsJson && answer.stopReason === "endTurn" && !isJson(answer))
    return err(notAsAsked("not_json", answer));
  return ok(answer);
}
