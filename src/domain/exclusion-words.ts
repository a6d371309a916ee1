/** Why a model is excluded from the choice, as a person reads it beside the model's name. */
import type { ExclusionReason } from "./requirements.ts";

export const exclusionWords: Readonly<Record<ExclusionReason, string>> = {
  input_modality: "does not read a kind of content in the messages",
  output_modality: "does not make what was asked for",
  tools: "has no tools",
  context_window: "has no room for the messages and maxTokens",
  tool_count: "takes fewer tools",
  image_format: "does not read an image's format",
  image_count: "takes fewer images",
  image_size: "does not read an image of that size",
  prefill: "does not go on with the assistant's own words",
  reasoning_room: "has no room to reason",
  not_allowed: "the policy forbids it",
  unknown_price: "no known price, and a budget applies",
  no_credential: "no credential",
  no_operator_leave: "the operator gives no leave",
  credential_failing: "the provider refuses the key",
  circuit_open: "failed lately, and rests",
  retired: "retired by its provider",
  preview: "a preview that nobody asked for",
  image_model: "draws, and no image was asked for",
  stopped: "stopped by a kill switch",
  canned: "its answers are canned, and there is a real provider",
  unknown_class: "new, without a price to judge it by",
};
