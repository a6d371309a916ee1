/** Spellings of a model's name that mean the same. */

/** One spelling for many: lower case, `-` for every separator, letters apart from the number after them. */
export const foldName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll("+", "-plus")
    .replaceAll(/[\s\-_.:@(),]+/g, "-")
    .replaceAll(/(?<![a-z])([a-z]{2,}|(?<![0-9])[ok])(?=\d)/g, "$1-")
    // Fireworks writes `p` for the point of a version: `kimi-k2p6`.
    .replaceAll(/(?<=-[a-z]?\d)p(?=\d)/g, "-")
    .replaceAll(/(\d)(?=[a-z]{3,})/g, "$1-")
    .replaceAll(/(?<!-)-+(?=\/)|(?<=\/)-+/g, "")
    .replaceAll(/^[-/]+|(?<![-/])[-/]+$/g, "");

/** A folded name without the names of providers, makers and folders before it. */
export const bareName = (folded: string): string => folded.slice(folded.lastIndexOf("/") + 1);

/** OpenRouter's ways to serve a model, after a colon. */
const variant = /:(?:free|thinking|nitro|floor|online|extended|exacto|beta)$/i;

/** Vertex names a model's version after `@`, and Bedrock the version of its own API at the end. */
const servedVersion = /@[\w.-]*$|(?:-v?\d+)?:\d+(?::[\w-]+)?$/i;

export const isVariant = (id: string): boolean => variant.test(id.trim());

/** A name without what it says of how its model is served. */
export const withoutServing = (text: string): string =>
  text.trim().replace(variant, "").replace(servedVersion, "");
