/** Claude's Messages API at clouds: the model is in the URL, and the version in the body. */
import type { CloudForm } from "../../domain/passing.ts";
import { foundationModelOf } from "../../domain/models/bedrock-models.ts";
import type { Cloud, CloudPlace } from "../../domain/models/cloud-place.ts";

interface ClaudeForm {
  /** value of `anthropic_version` */
  version: string;
  path: (model: string, isStream: boolean) => string;
  /** `stream` is in the body too */
  saysStream: boolean;
  /** beta features are in the body, not in a header */
  betasInBody: boolean;
  countPath: (model: string) => string;
  /** counts InvokeModel's body, which requires a limit, as base64 */
  wrapsCount: boolean;
}

const forms: Partial<Record<Cloud, ClaudeForm>> = {
  // Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html
  bedrock: {
    version: "bedrock-2023-05-31",
    path: (model, isStream) =>
      `model/${encodeURIComponent(model)}/${isStream ? "invoke-with-response-stream" : "invoke"}`,
    saysStream: false,
    betasInBody: true,
    // Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
    // Inference profiles aren't accepted.
    countPath: (model) => `model/${encodeURIComponent(foundationModelOf(model))}/count-tokens`,
    wrapsCount: true,
  },
  // Source: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
  vertex: {
    version: "vertex-2023-10-16",
    path: (model, isStream) =>
      `models/${encodeURIComponent(model).replaceAll("%40", "@")}:${isStream ? "streamRawPredict" : "rawPredict"}`,
    saysStream: true,
    betasInBody: false,
    // Source: https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens
    countPath: () => "models/count-tokens:rawPredict",
    wrapsCount: false,
  },
};

/** `undefined` if the cloud uses Anthropic's own API, or doesn't serve Claude. */
export const claudeFormOf = (place: CloudPlace | null | undefined): ClaudeForm | undefined =>
  place ? forms[place.cloud] : undefined;

/** How to edit a request that is otherwise forwarded byte for byte. */
export function cloudFormOf(
  form: ClaudeForm,
  { "anthropic-beta": header }: Readonly<Record<string, string>>,
): CloudForm {
  const betas = form.betasInBody ? betasIn(header) : [];
  return {
    added: {
      anthropic_version: JSON.stringify(form.version),
      ...(betas.length > 0 && { anthropic_beta: JSON.stringify(betas) }),
    },
    removed: ["model", "anthropic_version", ...(form.saysStream ? [] : ["stream"])],
  };
}

export const betasIn = (header: string | null | undefined): string[] =>
  (header ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
