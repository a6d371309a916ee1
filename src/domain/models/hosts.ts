/** Servers with OpenAI's Chat Completions API that people rent or run, by `provider`. */
interface Host {
  /** null: at the address where it was installed */
  baseUrl: string | null;
  /** how `GET /models` shows it */
  shownBy?: { ownedBy: string } | { header: string };
  source: string;
}

export const hosts: ReadonlyMap<string, Host> = new Map([
  [
    "moonshot",
    { baseUrl: "https://api.moonshot.ai/v1", source: "https://platform.moonshot.ai/docs/api/chat" },
  ],
  [
    "dashscope",
    {
      baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
      source:
        "https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope",
    },
  ],
  [
    "nvidia",
    {
      baseUrl: "https://integrate.api.nvidia.com/v1",
      source: "https://docs.api.nvidia.com/nim/reference/llm-apis",
    },
  ],
  [
    "huggingface",
    {
      baseUrl: "https://router.huggingface.co/v1",
      source: "https://huggingface.co/docs/inference-providers",
    },
  ],
  [
    "perplexity",
    {
      baseUrl: "https://api.perplexity.ai",
      source: "https://docs.perplexity.ai/api-reference/chat-completions-post",
    },
  ],
  [
    "vllm",
    {
      baseUrl: null,
      shownBy: { ownedBy: "vllm" },
      source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    },
  ],
  [
    "llamacpp",
    {
      baseUrl: null,
      shownBy: { ownedBy: "llamacpp" },
      source: "https://github.com/ggml-org/llama.cpp/tree/master/tools/server",
    },
  ],
  [
    "lmstudio",
    {
      baseUrl: null,
      shownBy: { ownedBy: "organization_owner" },
      source: "https://lmstudio.ai/docs/developer/openai-compat",
    },
  ],
  [
    "ollama",
    {
      baseUrl: null,
      shownBy: { ownedBy: "library" },
      source: "https://docs.ollama.com/api/openai-compatibility",
    },
  ],
  [
    "litellm",
    {
      baseUrl: null,
      shownBy: { header: "x-litellm-version" },
      source: "https://docs.litellm.ai/docs/proxy/response_headers",
    },
  ],
  [
    "cloudflare-ai-gateway",
    {
      baseUrl: null,
      shownBy: { header: "cf-aig-log-id" },
      source: "https://developers.cloudflare.com/ai-gateway/usage/chat-completion/",
    },
  ],
]);

/** `provider` of the server that a list of models shows; null: unknown. */
export function hostShown(list: {
  owners: readonly unknown[];
  hasHeader: (name: string) => boolean;
}): string | null {
  for (const [provider, { shownBy }] of hosts) {
    if (shownBy === undefined) continue;
    const isShown =
      "header" in shownBy
        ? list.hasHeader(shownBy.header)
        : list.owners.length > 0 && list.owners.every((owner) => owner === shownBy.ownedBy);
    if (isShown) return provider;
  }
  return null;
}
