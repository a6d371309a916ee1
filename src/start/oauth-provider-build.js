/**
 * Makes of the package `@cloudflare/workers-oauth-provider` one module with one function, which takes as arguments what
 * the package takes from its runtime: `fetch`, `Cloudflare`, `caches` and `console`. So nothing global is read, and both
 * hosts run the same code. `package.json` calls the module `#oauth-provider`. Plain JavaScript, as `build.js` is.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = join(checkout, "node_modules", "@cloudflare", "workers-oauth-provider");
const made = join(checkout, ".wrangler", "oauth-provider.js");
/** Raised with every change of this file that changes the module. */
const edition = 1;

/** Paths in the checkout that the module is made of. */
export const oauthProviderInputs = [
  "node_modules/@cloudflare/workers-oauth-provider/dist/oauth-provider.js",
];

async function moduleText(heading) {
  const { transform } = await import("esbuild");
  const source = readFileSync(join(folder, "dist", "oauth-provider.js"), "utf8");
  const { code } = await transform(source, {
    format: "cjs",
    platform: "neutral",
    target: "es2024",
    supported: { using: true },
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "silent",
  });
  return `${heading}
export function loadProvider({ fetch, Cloudflare, caches, console }) {
  const module = { exports: {} };
  // The package only asks whether a handler extends this class.
  const require = () => ({ WorkerEntrypoint: class {} });
${code}
  return module.exports;
}
`;
}

/** Makes the module, unless it is there for the version that is installed. */
export async function ensureOauthProvider() {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const heading = `// @cloudflare/workers-oauth-provider ${version}, edition ${edition}`;
  if (existsSync(made) && readFileSync(made, "utf8").startsWith(`${heading}\n`)) return;
  const text = await moduleText(heading);
  mkdirSync(dirname(made), { recursive: true });
  // Whole or not at all: several starts may make it at once.
  const whole = `${made}.${process.pid}`;
  writeFileSync(whole, text);
  renameSync(whole, made);
}
