/**
 * Wraps `@cloudflare/workers-oauth-provider` into a function whose arguments replace the globals `fetch`,
 * `Cloudflare`, `caches`, and `console`, so that both hosts run the same code. Imported as `#oauth-provider`.
 * Plain JavaScript, like `build.js`.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhole } from "./write-whole.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = join(checkout, "node_modules", "@cloudflare", "workers-oauth-provider");
const made = join(checkout, ".wrangler", "oauth-provider.js");
/** Increment when this file changes the module. */
const edition = 2;
/** All that the router uses: `Library` in `oauth/provider/library.d.ts`. esbuild leaves out the rest. */
const used =
  "OAuthAuthorizationServer, OAuthError, AuthorizationError, CimdFetchError, authorizationErrorRedirect";

export const oauthProviderInputs = [
  "node_modules/@cloudflare/workers-oauth-provider/dist/oauth-provider.js",
];

async function moduleText(heading) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    stdin: {
      contents: `export { ${used} } from "./oauth-provider.js";`,
      resolveDir: join(folder, "dist"),
    },
    bundle: true,
    write: false,
    external: ["cloudflare:*"],
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
  // The package only checks for subclasses.
  const require = () => ({ WorkerEntrypoint: class {} });
${outputFiles[0].text}
  return module.exports;
}
`;
}

export async function ensureOauthProvider() {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const heading = `// @cloudflare/workers-oauth-provider ${version}, edition ${edition}`;
  if (existsSync(made) && readFileSync(made, "utf8").startsWith(`${heading}\n`)) return;
  writeWhole(made, await moduleText(heading));
}
