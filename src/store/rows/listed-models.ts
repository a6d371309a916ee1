/**
 * Append only: stored decisions refer to models by index. `test/contract/store/packing.test.ts` lists missing
 * ones.
 */
const lists = `
anthropic claude-fable-5 claude-haiku-4-5 claude-opus-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8
anthropic claude-sonnet-4-5 claude-sonnet-4-6 claude-sonnet-5 claude-fable-5-1 claude-opus-5 claude-opus-5-5
anthropic claude-sonnet-5-5
google gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro gemini-3.1-flash-lite gemini-3.5-flash gemma-4-26b-a4b-it
google gemma-4-31b-it gemini-3.5-flash-lite gemini-3.6-flash gemini-3.7-flash gemini-3.8-flash
openai gpt-4.1 gpt-4.1-mini gpt-4o gpt-4o-2024-11-20 gpt-4o-mini gpt-5 gpt-5-codex gpt-5-mini gpt-5-nano gpt-5-pro
openai gpt-5.1 gpt-5.1-codex gpt-5.1-codex-max gpt-5.1-codex-mini gpt-5.2 gpt-5.2-codex gpt-5.2-pro
openai gpt-5.3-chat-latest gpt-5.3-codex gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.4-pro gpt-5.5 gpt-5.5-pro o3 o3-pro
openai gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-luna gpt-6-sol
google gemini-2.5-flash-image gemini-3-flash-preview gemini-3-pro-image-preview gemini-3.1-flash-image-preview
google gemini-3.1-pro-preview gemini-2.0-flash gemini-2.0-flash-lite gemini-2.5-flash-preview-tts
google gemini-2.5-pro-preview-tts gemini-3-pro-preview gemini-3-pro-image gemini-3.1-flash-image
google gemini-3.1-flash-tts-preview gemini-3.8-flash-lite-tts gemini-3.8-flash-tts gemini-4-argon gemini-4-carbon
google gemini-4-hydrogen gemini-nano-banana-2.1
openai gpt-3.5-turbo gpt-4 gpt-4-turbo gpt-4.1-nano o1 o3-mini o4-mini gpt-4o-mini-tts gpt-image-1 gpt-image-1-mini
openai gpt-image-1.5 gpt-image-2 gpt-image-2.6-sunburst tts-1 tts-1-hd gpt-6.1-sol gpt-6.1-terra gpt-image-2.5-flare
openai gpt-image-2.5-sunburst gpt-image-2.6-flare
anthropic claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219
anthropic claude-3-haiku-20240307 claude-3-opus-20240229 claude-3-sonnet-20240229 claude-opus-4-0 claude-opus-4-1
anthropic claude-sonnet-4-0 claude-fable-5-2 claude-haiku-5-5
cerebras gpt-oss-120b zai-glm-4.7
cohere c4ai-aya-expanse-32b c4ai-aya-vision-32b command-a-03-2025 command-a-plus-05-2026 command-a-reasoning-08-2025
cohere command-a-vision-07-2025 command-r-08-2024 command-r-plus-08-2024 command-r7b-12-2024
deepseek deepseek-v4-flash deepseek-v4-pro
groq llama-3.1-8b-instant llama-3.3-70b-versatile meta-llama/llama-4-scout-17b-16e-instruct openai/gpt-oss-120b
groq openai/gpt-oss-20b qwen/qwen3-32b
mistral codestral-latest magistral-medium-latest ministral-3b-latest ministral-8b-latest mistral-large-2512
mistral mistral-medium-2505 mistral-medium-2508 mistral-medium-2604 mistral-small-2506 mistral-small-2603
ollama deepseek-r1:8b devstral:24b gemma3:12b gemma3:1b gemma3:27b gemma3:4b gpt-oss:120b gpt-oss:20b llama3.1:70b
ollama llama3.1:8b llama3.2-vision:11b llama3.2:1b llama3.2:3b llama3.3:70b mistral-nemo:12b mistral-small3.2:24b
ollama mistral:7b phi4:14b qwen2.5-coder:7b qwen3-coder:30b qwen3:14b qwen3:32b qwen3:4b qwen3:8b
together MiniMaxAI/MiniMax-M3 Qwen/Qwen3-235B-A22B-Instruct-2507-tput Qwen/Qwen3.5-397B-A17B Qwen/Qwen3.7-Max
together deepseek-ai/DeepSeek-V4-Pro google/gemma-4-31B-it meta-llama/Llama-3.3-70B-Instruct-Turbo
together moonshotai/Kimi-K2.6 openai/gpt-oss-120b openai/gpt-oss-20b zai-org/GLM-5.2
workers-ai @cf/aisingapore/gemma-sea-lion-v4-27b-it @cf/deepseek-ai/deepseek-r1-distill-qwen-32b
workers-ai @cf/google/gemma-4-26b-a4b-it @cf/ibm-granite/granite-4.0-h-micro @cf/meta/llama-3.1-8b-instruct-fp8
workers-ai @cf/meta/llama-3.2-11b-vision-instruct @cf/meta/llama-3.2-1b-instruct @cf/meta/llama-3.2-3b-instruct
workers-ai @cf/meta/llama-3.3-70b-instruct-fp8-fast @cf/meta/llama-4-scout-17b-16e-instruct
workers-ai @cf/mistralai/mistral-small-3.1-24b-instruct @cf/moonshotai/kimi-k2.6 @cf/moonshotai/kimi-k2.7-code
workers-ai @cf/nvidia/nemotron-3-120b-a12b @cf/openai/gpt-oss-120b @cf/openai/gpt-oss-20b
workers-ai @cf/qwen/qwen2.5-coder-32b-instruct @cf/qwen/qwen3-30b-a3b-fp8 @cf/qwen/qwq-32b @cf/zai-org/glm-4.7-flash
workers-ai @cf/zai-org/glm-5.2
xai grok-4.20-0309-non-reasoning grok-4.20-0309-reasoning grok-4.3 grok-build-0.1 grok-imagine-image
xai grok-imagine-image-quality
`;

export const listedModels: readonly string[] = lists
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [provider, ...models] = line.split(" ");
    return models.map((model) => `${provider} ${model}`);
  });
