/** Why a model is excluded from selection, as shown beside its name. */
import type { ExclusionReason } from "./requirements.ts";

export const exclusionWords: Readonly<Record<ExclusionReason, string>> = {
  not_named: "the request names another model",
  input_modality: "does not read a kind of content in the messages",
  output_modality: "does not make what was asked for",
  tools: "has no tools",
  context_window: "has no room for the messages and maxTokens",
  tool_count: "takes fewer tools",
  image_format: "does not read an image's format",
  image_count: "takes fewer images",
  image_size: "does not read an image of that size",
  prefill: "does not continue the assistant's text",
  reasoning_room: "has no room to reason",
  not_allowed: "the policy forbids it",
  unknown_price: "no known price, and a budget applies",
  no_credential: "no credential",
  no_operator_leave: "the operator does not allow it",
  credential_failing: "the provider refuses the key",
  circuit_open: "failed lately",
  retired: "retired by its provider",
  preview: "a preview",
  image_model: "draws images",
  stopped: "stopped by a kill switch",
  canned: "canned answers",
  not_offered: "the provider does not list it",
  unknown_class: "new, and no known price",
};
