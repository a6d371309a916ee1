import type { ProviderRequest } from "../../../domain/sampling/providers.ts";
import { estimateInputTokens, tokensOfText } from "../../../domain/sampling/estimate.ts";
import { textOfPart, type StreamPart } from "../../../domain/sampling/stream-parts.ts";
import { tokenFamilyOf } from "../../../domain/tokens/tokenizers.ts";
import type { Usage } from "../../../domain/usage.ts";

/** By how much more a provider may have written than had arrived. */
const writtenAhead = 1.25;

export interface StreamBill {
  add(part: StreamPart): void;
  /** tokens that the provider has counted of the input; null: not yet */
  inputTokens(): number | null;
  mayHide(): boolean;
  estimate(): Usage;
}

export function createStreamBill(request: ProviderRequest): StreamBill {
  const { call, model, maxTokens, reasoning } = request;
  let counted: Pick<Usage, "inputTokens" | "classes"> | null = null;
  let mayHide = (reasoning?.headroom ?? 0) > 0 || reasoning?.metadata === "sent";
  let written = "";
  let tokens = 0;
  const count = (): void => {
    tokens += tokensOfText(written);
    written = "";
  };
  return {
    add(part) {
      if (part.type === "counted") counted = part.input;
      mayHide ||= part.type === "hidden" || (part.type === "event" && part.shows === "hidden");
      written += textOfPart(part);
      // A long text is counted in pieces, and not kept.
      if (written.length > 4_096) count();
    },
    inputTokens: () => counted?.inputTokens ?? null,
    mayHide: () => mayHide,
    estimate() {
      count();
      const outputTokens = Math.min(maxTokens, Math.ceil(tokens * writtenAhead));
      const input = counted ?? { inputTokens: estimateInputTokens(call, tokenFamilyOf(model)) };
      return { ...input, outputTokens, estimated: true };
    },
  };
}
