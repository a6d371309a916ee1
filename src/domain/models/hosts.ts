/** Servers with OpenAI's Chat Completions API that people rent or run, by `provider`. */
export interface Host {
  /** null: at the address where it was installed */
  baseUrl: string | null;
  /** its other hostnames; a dot at the start means all below it */
  alsoAt?: readonly string[];
  /** what all models in `GET /models` have in common, or a header of the answer */
  shownBy?: { ownedBy: string } | { created: number } | { header: string };
  /** `all`: a model that isn't in `GET /models` can't be called */
  lists: "all" | "some" | "none";
  source: string;
  /** what its own pages don't document, and is known from public code alone */
  unverified?: readonly ("baseUrl" | "shownBy" | "lists")[];
}

const rows: Readonly<Record<string, Host>> = {
  moonshot: {
    baseUrl: "https://api.moonshot.ai/v1",
    alsoAt: ["api.moonshot.cn"],
    shownBy: { ownedBy: "moonshot" },
    lists: "all",
    source: "https://platform.moonshot.ai/docs/api/chat",
  },
  dashscope: {
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    // Today's pages name hosts of a workspace.
    alsoAt: ["dashscope.aliyuncs.com", "dashscope-us.aliyuncs.com", ".maas.aliyuncs.com"],
    lists: "some",
    source:
      "https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope",
    unverified: ["lists"],
  },
  nvidia: {
    baseUrl: "https://integrate.api.nvidia.com/v1",
    lists: "some",
    source: "https://docs.api.nvidia.com/nim/reference/llm-apis",
    unverified: ["lists"],
  },
  huggingface: {
    baseUrl: "https://router.huggingface.co/v1",
    lists: "some",
    source: "https://huggingface.co/docs/inference-providers",
    unverified: ["lists"],
  },
  perplexity: {
    baseUrl: "https://api.perplexity.ai",
    // Its list is that of another API, with other names.
    lists: "none",
    source: "https://docs.perplexity.ai/api-reference/chat-completions-post",
  },
  vllm: {
    baseUrl: null,
    shownBy: { ownedBy: "vllm" },
    lists: "all",
    source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    unverified: ["shownBy"],
  },
  llamacpp: {
    baseUrl: null,
    shownBy: { ownedBy: "llamacpp" },
    // With one model, it answers for any name.
    lists: "some",
    source: "https://github.com/ggml-org/llama.cpp/tree/master/tools/server",
  },
  lmstudio: {
    baseUrl: null,
    shownBy: { ownedBy: "organization_owner" },
    lists: "some",
    source: "https://lmstudio.ai/docs/developer/openai-compat/models",
    unverified: ["shownBy"],
  },
  ollama: {
    baseUrl: null,
    shownBy: { ownedBy: "library" },
    lists: "all",
    source: "https://docs.ollama.com/api/openai-compatibility",
    unverified: ["shownBy"],
  },
  litellm: {
    baseUrl: null,
    // `DEFAULT_MODEL_CREATED_AT_TIME`
    shownBy: { created: 1_677_610_602 },
    // Wildcards aren't listed in full.
    lists: "some",
    source: "https://docs.litellm.ai/docs/proxy/config_settings",
  },
  "cloudflare-ai-gateway": {
    baseUrl: null,
    alsoAt: ["gateway.ai.cloudflare.com"],
    shownBy: { header: "cf-aig-log-id" },
    lists: "some",
    source: "https://developers.cloudflare.com/ai-gateway/usage/chat-completion/",
    unverified: ["lists"],
  },
};

export const hosts: ReadonlyMap<string, Host> = new Map(Object.entries(rows));

export interface ShownList {
  models: readonly { ownedBy: unknown; created: unknown }[];
  hasHeader: (name: string) => boolean;
}

const isShownBy = (shownBy: NonNullable<Host["shownBy"]>, list: ShownList): boolean => {
  if ("header" in shownBy) return list.hasHeader(shownBy.header);
  if (list.models.length === 0) return false;
  return "created" in shownBy
    ? list.models.every(({ created }) => created === shownBy.created)
    : list.models.every(({ ownedBy }) => ownedBy === shownBy.ownedBy);
};

/** `provider` of the server that a list of models shows; null: unknown. */
export function hostShown(list: ShownList): string | null {
  for (const [provider, { shownBy }] of hosts)
    if (shownBy !== undefined && isShownBy(shownBy, list)) return provider;
  return null;
}

const isAt = (hostname: string, { baseUrl, alsoAt = [] }: Host): boolean =>
  [...(baseUrl === null ? [] : [new URL(baseUrl).hostname]), ...alsoAt].some((name) =>
    name.startsWith(".") ? hostname.endsWith(name) : hostname === name,
  );

/** `provider` of the server at an address; null: unknown. */
export function hostAt(baseUrl: string | null): string | null {
  const hostname = baseUrl === null ? undefined : URL.parse(baseUrl)?.hostname;
  if (hostname === undefined) return null;
  return [...hosts].find(([, host]) => isAt(hostname, host))?.[0] ?? null;
}
