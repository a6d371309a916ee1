/** Providers by name, with the pages where they issue keys. */
import type { FieldProps } from "../parts/form.tsx";
import { OpenChoice } from "../parts/named.tsx";

type Known = Readonly<Record<string, readonly [title: string, keys: string]>>;

const groups: Readonly<Record<string, Known>> = {
  Makers: {
    anthropic: ["Anthropic", "console.anthropic.com/settings/keys"],
    openai: ["OpenAI", "platform.openai.com/api-keys"],
    google: ["Google Gemini", "aistudio.google.com/apikey"],
    mistral: ["Mistral", "console.mistral.ai/api-keys"],
    xai: ["xAI", "console.x.ai"],
    deepseek: ["DeepSeek", "platform.deepseek.com/api_keys"],
    cohere: ["Cohere", "dashboard.cohere.com/api-keys"],
    moonshot: ["Moonshot", "platform.moonshot.ai/console/api-keys"],
    perplexity: ["Perplexity", "www.perplexity.ai/account/api/keys"],
  },
  Clouds: {
    azure: ["Azure (Microsoft Foundry)", "ai.azure.com"],
    bedrock: ["Amazon Bedrock", "console.aws.amazon.com/bedrock/home#/api-keys"],
    vertex: ["Google Vertex AI", "console.cloud.google.com/iam-admin/serviceaccounts"],
  },
  "Hosts of many makers": {
    openrouter: ["OpenRouter", "openrouter.ai/settings/keys"],
    groq: ["Groq", "console.groq.com/keys"],
    together: ["Together AI", "api.together.ai/settings/api-keys"],
    fireworks: ["Fireworks", "app.fireworks.ai/settings/users/api-keys"],
    cerebras: ["Cerebras", "cloud.cerebras.ai"],
    dashscope: ["Alibaba Model Studio", "modelstudio.console.alibabacloud.com"],
    nvidia: ["NVIDIA", "build.nvidia.com/settings/api-keys"],
    huggingface: ["Hugging Face", "huggingface.co/settings/tokens"],
  },
  "Servers of your own": {
    ollama: ["Ollama", ""],
    vllm: ["vLLM", ""],
    llamacpp: ["llama.cpp", ""],
    lmstudio: ["LM Studio", ""],
    litellm: ["LiteLLM", ""],
    "cloudflare-ai-gateway": ["Cloudflare AI Gateway", ""],
  },
};
const known: Known = Object.assign({}, ...Object.values(groups)) as Known;

/** Whether the router knows the provider's address. */
export const hasAddress = (provider: string): boolean => (known[provider]?.[1] ?? "") !== "";

const options = Object.entries(groups).flatMap(([group, of]) =>
  Object.entries(of).map(([name, [title]]) => [name, title, group] as const),
);

export function ProviderChoice(its: Pick<FieldProps, "value" | "onInput">) {
  const [title, keys = ""] = known[its.value] ?? [];
  const hint = keys !== "" && (
    <a class="button quiet" href={`https://${keys}`} target="_blank" rel="noreferrer">
      Get a key from {title}
    </a>
  );
  return (
    <OpenChoice
      {...{ title: "Provider", name: "provider", ...its, options, hint }}
      isRequired
      another="Another OpenAI-compatible API"
      written={{
        title: "Provider’s name",
        hint: "Of your choice. It is part of the names of its models.",
      }}
    />
  );
}
