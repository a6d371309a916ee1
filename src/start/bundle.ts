/**
 * Bundles the Worker with esbuild and wrangler's options, unminified: `wrangler deploy --dry-run` takes two
 * seconds longer.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildFailure, Plugin } from "esbuild";
import { err, ok, type Result } from "../domain/result.ts";
import { aiSdkInputs, copyAiSdk } from "./ai-sdk-build.js";
import { ensureText } from "./build.js";
import { buildConsole, type BuiltConsole } from "./console-build.js";
import { ensureOauthProvider, oauthProviderInputs } from "./oauth-provider-build.js";

export interface Deployment {
  main: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
}

/** Settings of wrangler.toml, without loading wrangler, which takes a second. A test compares both. */
export function readDeployment(checkout: string): Result<Deployment, string> {
  const toml = readFileSync(join(checkout, "wrangler.toml"), "utf8");
  const top = toml.split(/^\[/m)[0] ?? "";
  const value = (name: string): unknown => {
    const text = new RegExp(`^${name} *= *(".*"|\\[[^\\]]*\\])`, "m").exec(top)?.[1];
    try {
      return text === undefined ? undefined : JSON.parse(text);
    } catch {
      return undefined;
    }
  };
  const main = value("main");
  const compatibilityDate = value("compatibility_date");
  const flags = value("compatibility_flags") ?? [];
  if (typeof main !== "string" || typeof compatibilityDate !== "string" || !Array.isArray(flags))
    return err("wrangler.toml needs main, compatibility_date and compatibility_flags at its top");
  return ok({ main, compatibilityDate, compatibilityFlags: flags.map(String) });
}

const unused =
  /^\.\.?\/((locales\/index|compile|from-json-schema)|(core\/)?(to-json-schema|json-schema-(processors|generator)))\.js$/;

/** `[alias]` of wrangler.toml; esbuild's option takes no relative path. */
const withoutUnused: Plugin = {
  name: "zod-unused",
  setup(build) {
    build.onResolve({ filter: unused }, () => ({
      path: join(import.meta.dirname, "zod-unused.js"),
    }));
  },
};

const isFailure = (cause: unknown): cause is BuildFailure =>
  cause instanceof Error && "errors" in cause && Array.isArray(cause.errors);

export interface BundledWorker {
  text: string;
  /** paths in the checkout */
  inputs: string[];
}

export async function bundleWorker(
  checkout: string,
  main: string,
): Promise<Result<BundledWorker, string>> {
  // Lazy: unneeded for a cached bundle.
  const { build } = await import("esbuild");
  await ensureOauthProvider();
  try {
    const { outputFiles, metafile } = await build({
      absWorkingDir: checkout,
      entryPoints: [main],
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "browser",
      target: "es2024",
      supported: { using: true },
      conditions: ["workerd", "worker", "browser"],
      define: {
        "process.env.NODE_ENV": '"production"',
        "navigator.userAgent": '"Cloudflare-Workers"',
      },
      external: ["cloudflare:*", "node:*"],
      loader: { ".html": "text", ".txt": "text", ".sql": "text" },
      alias: {
        ai: "@ai-sdk/provider-utils",
        "js-base64": join(checkout, "src/start/base64.ts"),
        ...copyAiSdk(),
      },
      plugins: [withoutUnused],
      logLevel: "silent",
    });
    const [output] = outputFiles;
    return output === undefined
      ? err(`${main} made no bundle`)
      : ok({
          text: output.text,
          inputs: [...Object.keys(metafile.inputs), ...oauthProviderInputs, ...aiSdkInputs],
        });
  } catch (cause) {
    if (!isFailure(cause)) throw cause;
    const [first] = cause.errors;
    const place = first?.location ? ` (${first.location.file}:${first.location.line})` : "";
    return err(`${main} does not bundle: ${first?.text ?? "unknown"}${place}`);
  }
}

/** For `npm run dev`; rebuilt only after changes. */
export async function keptWorker(checkout: string, main: string): Promise<Result<string, string>> {
  let fault = `${main} made no bundle`;
  const text = await ensureText(`${main.replaceAll(/[^\w.]/g, "-")}.js`, async () => {
    const bundled = await bundleWorker(checkout, main);
    if (bundled.ok) return bundled.value.text;
    fault = bundled.error;
    return null;
  });
  return text === null ? err(fault) : ok(text);
}

/** For `npm run dev`; rebuilt only after changes. All files are text. */
export async function keptConsole(): Promise<Pick<BuiltConsole, "files">> {
  const text = await ensureText("console.json", async () => {
    const { files } = await buildConsole();
    return JSON.stringify(
      files.map(({ name, contents }) => ({ name, contents: Buffer.from(contents).toString() })),
    );
  });
  return { files: JSON.parse(text ?? "[]") as BuiltConsole["files"] };
}
