/** Errors that reject the request itself; `fault-rows.ts` has all others. */
import { azureBilling, free, refusedRequest, rowsOf } from "./fault-row.ts";

const openaiChat = "https://platform.openai.com/docs/api-reference/chat/create";
const openaiErrors = "https://platform.openai.com/docs/guides/error-codes";
const anthropicMessages = "https://platform.claude.com/docs/en/api/messages";
const anthropicErrors = "https://platform.claude.com/docs/en/api/errors";
const googleFunctions = "https://ai.google.dev/api/caching#FunctionDeclaration";
const groqTools = "https://console.groq.com/docs/tool-use";
const mistralChat = "https://docs.mistral.ai/api/#tag/chat";
const azureFilter = "https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter";

const tooLong = { ...refusedRequest, code: "context_length" } as const;
/** Only Azure documents the cost of a filtered prompt; others are assumed alike. */
const filtered = {
  ...refusedRequest,
  ...azureBilling,
  code: "content_filter",
  billedBy: azureFilter,
} as const;

/** The provider rejected what its own model generated. */
const ownSlip = { reach: "model", retryable: true, billed: "maybe", billedBy: groqTools } as const;

const groq = rowsOf({ providers: ["groq"], ...free.others }, [
  {
    ...ownSlip,
    kind: "wrong_tool_use",
    status: 400,
    names: ["tool_use_failed"],
    code: "tool_use_failed",
    source: groqTools,
  },
  {
    ...ownSlip,
    kind: "not_json",
    status: 400,
    names: ["json_validate_failed"],
    source: "https://console.groq.com/docs/structured-outputs",
  },
]);

const contextLength = [
  ...rowsOf({ providers: ["openai"], ...free.openai }, [
    { ...tooLong, status: 400, names: ["context_length_exceeded"], source: openaiErrors },
  ]),
  ...rowsOf({ providers: ["anthropic"], ...free.anthropic }, [
    {
      ...tooLong,
      status: 400,
      says: /^prompt is too long|exceed context limit/,
      source: anthropicErrors,
    },
  ]),
  ...rowsOf({ providers: ["google"], ...free.google }, [
    {
      ...tooLong,
      status: 400,
      says: "input token count",
      source: "https://ai.google.dev/gemini-api/docs/tokens",
    },
  ]),
  // A custom endpoint may be Azure's.
  ...rowsOf(azureBilling, [
    {
      ...tooLong,
      status: 400,
      names: ["context_length_exceeded"],
      source: "https://console.groq.com/docs/errors",
    },
  ]),
  ...rowsOf(free.others, [
    {
      ...tooLong,
      status: { from: 400, to: 422 },
      says: /maximum (context|prompt) length|tokens \+ `max_new_tokens` must be/,
      source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    },
  ]),
];

const contentFilter = [
  ...rowsOf({ providers: ["openai"], ...free.openai }, [
    {
      ...filtered,
      status: 400,
      names: ["content_policy_violation", "moderation_blocked"],
      source: "https://platform.openai.com/docs/guides/image-generation#content-moderation",
    },
    {
      ...filtered,
      status: 400,
      names: ["invalid_prompt"],
      says: "usage policy",
      source: "https://github.com/BeehiveInnovations/pal-mcp-server/issues/178",
    },
  ]),
  ...rowsOf({ providers: ["anthropic"], ...free.anthropic }, [
    {
      ...filtered,
      status: 400,
      says: "blocked by content filtering policy",
      source: "https://github.com/anthropics/claude-code/issues/43487",
      billedBy: "https://github.com/anthropics/claude-code/issues/63717",
    },
  ]),
  ...rowsOf(free.others, [
    { ...filtered, status: 400, names: ["content_filter"], source: azureFilter },
    {
      ...filtered,
      status: 400,
      says: "content exists risk",
      source: "https://github.com/deepseek-ai/awesome-deepseek-integration/issues/13",
    },
  ]),
];

const part = (code: "tool_name" | "tool_schema" | "tool_id" | "tool_count" | "message_order") =>
  ({ ...refusedRequest, code, status: { from: 400, to: 422 } }) as const;
const block = (code: "empty_text" | "image" | "prefill" | "temperature" | "max_tokens") =>
  ({ ...refusedRequest, code, status: { from: 400, to: 422 } }) as const;

/** Providers with a shared API use the same words. */
const parts = rowsOf(free.others, [
  {
    ...part("tool_name"),
    says: /function\.name\b|tools\.\d{1,4}\.(custom\.)?name\b|invalid function name/,
    source: openaiChat,
  },
  { ...part("tool_schema"), names: ["invalid_function_parameters"], source: openaiChat },
  {
    ...part("tool_schema"),
    says: /tools\.\d{1,4}\.(custom\.)?input_schema\b/,
    source: anthropicMessages,
  },
  {
    ...part("tool_schema"),
    says: /function_declarations\[\d{1,4}\]\.parameters/,
    source: googleFunctions,
  },
  { ...part("tool_count"), says: "'tools': array too long", source: openaiChat },
  {
    ...part("message_order"),
    says: /must be followed by tool messages|'tool' must be a response|unexpected role|roles must alternate|first message must use|function call turn comes immediately|without `?tool_(use|result)/,
    source: mistralChat,
  },
  {
    ...part("tool_id"),
    says: /tool_calls\[\d{1,4}\]\.id\b|\bcall_id\b|tool call id|tool_use\.id\b/,
    source: mistralChat,
  },
  {
    ...block("prefill"),
    says: /assistant message prefill|expected last role/,
    source: mistralChat,
  },
  {
    ...block("empty_text"),
    says: /text content blocks must|must have non-empty content|must not be empty/,
    source: anthropicMessages,
  },
  {
    ...block("image"),
    says: /could not process image|image exceeds|unable to process input image|unsupported image/,
    source: "https://platform.claude.com/docs/en/build-with-claude/vision",
  },
  {
    ...block("image"),
    names: ["invalid_image", "invalid_image_format", "image_parse_error"],
    source: "https://platform.openai.com/docs/guides/images-vision",
  },
  {
    ...block("max_tokens"),
    says: /^max_(output_)?tokens\b|max_tokens is too large/,
    source: openaiChat,
  },
  {
    ...block("temperature"),
    says: /^(unsupported value: )?['`]?temperature\b/,
    source: openaiChat,
  },
]);

/** Between a provider's own rows and the common ones. */
export const requestRows = [...groq, ...contextLength, ...contentFilter, ...parts];
