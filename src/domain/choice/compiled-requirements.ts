import { inputTokensFor, maxInputTokens } from "../sampling/estimate.ts";
import { modalities, type Modality } from "../modality.ts";
import type { Requirements } from "../requirements.ts";
import { tokenFamilies } from "../tokens/tokenizers.ts";
import { type TokenFamily } from "../requirements.ts";

export const bitsOf = (set: readonly Modality[]): number =>
  set.reduce((bits, modality) => bits | (1 << modalities.indexOf(modality)), 0);

export const textBit = bitsOf(["text"]);
export const imageBit = bitsOf(["image"]);

export interface CompiledRequirements {
  needs: Requirements;
  inputBits: number;
  outputBits: number;
  tools: boolean;
  maxTokens: number;
  /** by `familyIndex` */
  likelyInputTokens: readonly number[];
  /** by `familyIndex` */
  maxInputTokens: readonly number[];
}

export const familyIndexOf = (family: TokenFamily): number => tokenFamilies.indexOf(family);

export function compileRequirements(needs: Requirements): CompiledRequirements {
  const likelyInputTokens = tokenFamilies.map((family) => inputTokensFor(needs, family));
  return {
    needs,
    inputBits: bitsOf(needs.inputModalities),
    outputBits: bitsOf(needs.outputModalities),
    tools: needs.tools,
    maxTokens: needs.maxTokens,
    likelyInputTokens,
    maxInputTokens: likelyInputTokens.map(maxInputTokens),
  };
}
