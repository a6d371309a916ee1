/** Sources of each wire's rules: provider documentation or the endpoint's error message. */
import type { Wire, WireRules } from "../../../../src/domain/wires/rules.ts";

type Sourced = Partial<Record<keyof WireRules, string>>;

const imagesOfOpenai = "https://platform.openai.com/docs/guides/images-vision";
const imagesOfClaude =
  "https://platform.claude.com/docs/en/build-with-claude/vision#general-limits";
const imagesOfGroq = "https://console.groq.com/docs/vision";

const openaiSources = {
  toolName: "https://platform.openai.com/docs/api-reference/chat/create#tools",
  toolNameLength: "https://platform.openai.com/docs/api-reference/chat/create#tools",
  maxTools: "https://platform.openai.com/docs/api-reference/chat/create#tools",
  toolId: "error of the endpoint: string_above_max_length, messages[].tool_calls[].id, 40",
  toolIdLength: "the router's own choice, within the limit of ids",
  propertyName: "https://platform.openai.com/docs/guides/function-calling",
  schemaRoot:
    "error of the endpoint: invalid_function_parameters, object schema missing properties",
  references: "https://platform.openai.com/docs/guides/function-calling",
  formats: "https://platform.openai.com/docs/guides/function-calling",
  text: "https://platform.openai.com/docs/api-reference/chat/create#messages",
  emptyErrors: "https://platform.openai.com/docs/api-reference/chat/create#messages",
  stops: "https://platform.openai.com/docs/api-reference/chat/create#stop",
  maxStops: "https://platform.openai.com/docs/api-reference/chat/create#stop",
  assistantFirst: "https://platform.openai.com/docs/api-reference/chat/create#messages",
  sameRoleTwice: "https://platform.openai.com/docs/api-reference/chat/create#messages",
  userAfterTool: "https://platform.openai.com/docs/api-reference/chat/create#messages",
  prefill: "https://platform.openai.com/docs/api-reference/chat/create#messages",
  answerSchemas: "https://platform.openai.com/docs/guides/structured-outputs",
  singleToolUse:
    "https://platform.openai.com/docs/guides/function-calling#parallel-function-calling",
  imageFormats: imagesOfOpenai,
  imageBytes: imagesOfOpenai,
  imagesBytes: imagesOfOpenai,
  maxImages: imagesOfOpenai,
  imageSide: imagesOfOpenai,
  manyImages: imagesOfOpenai,
  sideOfMany: imagesOfOpenai,
  imagePixels: imagesOfOpenai,
  maxTemperature: "https://platform.openai.com/docs/api-reference/chat/create#temperature",
  refusesOwnToolUse: "https://platform.openai.com/docs/guides/function-calling",
  mixesThoughts: "https://platform.openai.com/docs/guides/reasoning",
} as const satisfies Record<keyof WireRules, string>;

const compatibleSources: Record<keyof WireRules, string> = {
  ...openaiSources,
  maxTools: "https://docs.vllm.ai/en/latest/features/tool_calling.html",
  maxStops: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
  answerSchemas: "https://docs.vllm.ai/en/latest/features/structured_outputs.html",
  singleToolUse: "https://docs.vllm.ai/en/latest/features/tool_calling.html",
  assistantFirst:
    "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html#chat-template",
  sameRoleTwice:
    "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html#chat-template",
  imageBytes:
    "error of Alibaba's endpoint: Exceeded limit on max bytes per data-uri item : 20971520",
  maxImages: "https://docs.vllm.ai/en/latest/features/multimodal_inputs.html",
  mixesThoughts: "https://docs.vllm.ai/en/latest/features/reasoning_outputs.html",
};

/** By wire, where different from the base. */
const sources: Readonly<Record<Wire, Sourced>> = {
  "openai-chat": {},
  "openai-responses": {
    toolId: "error of the endpoint: string_above_max_length, input[].call_id, 64",
  },
  anthropic: {
    toolName: "https://docs.claude.com/en/api/messages#body-tools-name",
    toolNameLength: "https://docs.claude.com/en/api/messages#body-tools-name",
    maxTools: "https://docs.claude.com/en/api/messages#body-tools",
    toolId: "error of the endpoint: messages.content.tool_use.id should match ^[a-zA-Z0-9_-]+$",
    propertyName:
      "error of the endpoint: tools.input_schema property keys should match ^[a-zA-Z0-9_.-]{1,64}$",
    schemaRoot:
      "error of the endpoint: input_schema does not support oneOf, allOf, or anyOf at the top level",
    text: "error of the endpoint: text content blocks must contain non-whitespace text",
    emptyErrors: "error of the endpoint: content cannot be empty if is_error is true",
    stops: "error of the endpoint: stop_sequences: each stop sequence must contain non-whitespace",
    maxStops: "https://docs.claude.com/en/api/messages#body-stop-sequences",
    assistantFirst: "error of the endpoint: first message must use the user role",
    sameRoleTwice: "https://docs.claude.com/en/api/messages#body-messages",
    prefill: "https://docs.claude.com/en/docs/about-claude/models/whats-new-claude-4-6",
    imageFormats: imagesOfClaude,
    imageBytes: imagesOfClaude,
    maxImages: imagesOfClaude,
    imageSide: imagesOfClaude,
    manyImages: imagesOfClaude,
    sideOfMany: imagesOfClaude,
    maxTemperature: "https://docs.claude.com/en/api/messages#body-temperature",
  },
  google: {
    toolName: "https://ai.google.dev/api/caching#FunctionDeclaration",
    maxTools: "https://ai.google.dev/gemini-api/docs/function-calling",
    toolId: "https://ai.google.dev/api/caching#FunctionCall",
    schemaRoot: "https://ai.google.dev/api/caching#FunctionDeclaration",
    references: "https://ai.google.dev/api/generate-content#GenerationConfig",
    formats: "https://ai.google.dev/api/caching#Schema",
    text: "error of the endpoint: contents.parts must not be empty",
    stops: "https://ai.google.dev/api/generate-content#generationconfig",
    maxStops: "https://ai.google.dev/api/generate-content#generationconfig",
    sameRoleTwice:
      "error of the endpoint: function call turn comes immediately after a user turn or a function response",
    assistantFirst:
      "error of the endpoint: function call turn comes immediately after a user turn or a function response",
    answerSchemas: "https://ai.google.dev/gemini-api/docs/structured-output",
    singleToolUse: "https://ai.google.dev/gemini-api/docs/function-calling",
    imageFormats: "https://ai.google.dev/gemini-api/docs/image-understanding#supported-formats",
    imagesBytes: "https://ai.google.dev/gemini-api/docs/file-input-methods",
    maxImages: "https://ai.google.dev/gemini-api/docs/image-understanding",
    maxTemperature: "https://ai.google.dev/api/generate-content#generationconfig",
  },
  mistral: {
    toolId: "error of the endpoint: tool call id has to be a-z, A-Z, 0-9, with a length of 9",
    text: "error of the endpoint: assistant message must have either content or tool_calls",
    sameRoleTwice: "https://docs.mistral.ai/api/#tag/chat",
    userAfterTool: "error of the endpoint: unexpected role 'user' after role 'tool'",
    prefill: "error of the endpoint: expected last role User or Tool for serving but got assistant",
    answerSchemas:
      "https://docs.mistral.ai/capabilities/structured-output/custom_structured_output/",
    singleToolUse: "https://docs.mistral.ai/api/#tag/chat",
    imageFormats: "https://docs.mistral.ai/capabilities/vision/",
    imageBytes: "https://docs.mistral.ai/capabilities/vision/",
    maxImages: "https://docs.mistral.ai/capabilities/vision/",
    maxTemperature: "https://docs.mistral.ai/api/#tag/chat",
  },
  groq: {
    maxTools: "https://console.groq.com/docs/api-reference#chat-create",
    maxStops: "https://console.groq.com/docs/api-reference#chat-create",
    assistantFirst: "https://console.groq.com/docs/api-reference#chat-create",
    sameRoleTwice: "https://console.groq.com/docs/api-reference#chat-create",
    imagesBytes: imagesOfGroq,
    maxImages: imagesOfGroq,
    imagePixels: imagesOfGroq,
    refusesOwnToolUse: "https://console.groq.com/docs/tool-use",
    mixesThoughts: "https://console.groq.com/docs/reasoning",
  },
  deepseek: {
    maxTools: "https://api-docs.deepseek.com/api/create-chat-completion",
    maxStops: "https://api-docs.deepseek.com/api/create-chat-completion",
    imageBytes: "error of the endpoint: image file size exceeds limit 32 MB",
    maxImages: "https://api-docs.deepseek.com/api/create-chat-completion",
    sameRoleTwice: "error of the endpoint: does not support successive user or assistant messages",
  },
  moonshot: {
    toolName: "https://platform.moonshot.ai/docs/api/tool-use",
    maxTools: "https://platform.moonshot.ai/docs/api/tool-use",
    maxStops: "https://platform.moonshot.ai/docs/api/chat",
    text: "error of the endpoint: message at position must not be empty",
    maxTemperature: "https://platform.moonshot.ai/docs/api/chat",
  },
  compatible: {},
  "workers-ai": {},
};

const ofOpenai: ReadonlySet<Wire> = new Set([
  "openai-chat",
  "openai-responses",
  "anthropic",
  "google",
]);

export const sourceOf = (wire: Wire, rule: keyof WireRules): string =>
  sources[wire][rule] ?? (ofOpenai.has(wire) ? openaiSources : compatibleSources)[rule];
