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

/** Vertex's version after `@`, and Bedrock's API version at the end. */
const servedVersion = /@[\w.-]*$|(?:-v?\d+)?:\d+(?::[\w-]+)?$/i;

export const isVariant = (id: string): boolean => variant.test(id.trim());

export const withoutServing = (text: string): string =>
  text.trim().replace(variant, "").replace(servedVersion, "");
