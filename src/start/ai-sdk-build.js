/**
 * Copies the AI SDK's models for the Worker: `[alias]` in `wrangler.toml`. A class with a computed static member can't be
 * left out of a bundle, and each model has two, which only Vercel's workflows call.
 * Plain JavaScript, like `build.js`.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhole } from "./write-whole.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Imported name → file in `.wrangler`, and in `node_modules`. */
const copies = {
  "@ai-sdk/google/internal": ["ai-sdk-google.js", "@ai-sdk/google/dist/internal/index.js"],
  "@ai-sdk/openai/internal": ["ai-sdk-openai.js", "@ai-sdk/openai/dist/internal/index.js"],
  "@ai-sdk/openai-compatible": [
    "ai-sdk-openai-compatible.js",
    "@ai-sdk/openai-compatible/dist/index.js",
  ],
};

/** Paths in the checkout. */
export const aiSdkInputs = Object.values(copies).map(([, path]) => `node_modules/${path}`);

/** @returns imported name → path, for esbuild's `alias` */
export function copyAiSdk() {
  return Object.fromEntries(
    Object.entries(copies).map(([name, [copy, path]]) => {
      const text = readFileSync(join(checkout, "node_modules", path), "utf8");
      const copied = join(checkout, ".wrangler", copy);
      writeWhole(copied, text.replaceAll(/static \[(WORKFLOW_\w+)\]/g, "static $1"));
      return [name, copied];
    }),
  );
}
