/** Normalizes case and separators, and separates letters from following numbers. */
export const foldName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll("+", "-plus")
    .replaceAll(/[\s\-_.:@(),]+/g, "-")
    .replaceAll(/(?<![a-z])([a-z]{2,}|(?<![0-9])[ok])(?=\d)/g, "$1-")
    // Fireworks writes `p` for a decimal point: `kimi-k2p6`.
    .replaceAll(/(?<=-[a-z]?\d)p(?=\d)/g, "-")
    .replaceAll(/(\d)(?=[a-z]{3,})/g, "$1-")
    .replaceAll(/(?<!-)-+(?=\/)|(?<=\/)-+/g, "")
    .replaceAll(/^[-/]+|(?<![-/])[-/]+$/g, "");

export const bareName = (folded: string): string => folded.slice(folded.lastIndexOf("/") + 1);

/** OpenRouter's serving variants. */
const variant = /:(?:free|thinking|nitro|floor|online|extended|exacto|beta)$/i;

/** Hugging Face's choices of a provider. Source: https://huggingface.co/docs/inference-providers */
const route =
  /(?<=\/[^/:]+):(?:fastest|cheapest|preferred|baseten|cerebras|cohere|deepinfra|featherless-ai|fireworks-ai|groq|hf-inference|hyperbolic|nebius|novita|nscale|nvidia|ovhcloud|publicai|sambanova|scaleway|together|wavespeed|zai-org)$/i;

/** A file of weights, and its quantization. */
const weightsFile = /(?:-\d{5}-of-\d{5})?\.gguf$/i;
const quantization = /[-:.](?:ud-)?(?:i?q\d(?:_[a-z\d]{1,3}){0,3}|b?f16|mxfp4)$/i;

/** Vertex's version after `@`, and Bedrock's API version at the end. */
const servedVersion = /@[\w.-]*$|(?:-v?\d+)?:\d+(?::[\w-]+)?$/i;

export const isVariant = (id: string): boolean => variant.test(id.trim()) || route.test(id.trim());

export const withoutServing = (text: string): string =>
  text
    .trim()
    .replace(weightsFile, "")
    .replace(quantization, "")
    .replace(variant, "")
    .replace(route, "")
    .replace(servedVersion, "");
