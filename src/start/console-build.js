/**
 * Builds the console from its source: the script and style of every page, and scripts for what few ask for, each with a hash of its contents in its name, and
 * `manifest.json`, which says the names. Plain JavaScript, as `build.js` is, which calls it before anything is built.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureOauthProvider } from "./oauth-provider-build.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const entry = "src/console/main.tsx";

/** The files, and what they were made of. */
export async function buildConsole() {
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    absWorkingDir: checkout,
    entryPoints: [entry],
    outdir: "console",
    bundle: true,
    // What few people need is a file of its own.
    splitting: true,
    entryNames: "console-[hash]",
    chunkNames: "console-[hash]",
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "browser",
    // Ed25519 in WebCrypto is the newest thing that a page asks of its browser.
    target: ["chrome137", "firefox129", "safari17"],
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
    logLevel: "silent",
  });
  const outputs = Object.entries(metafile.outputs);
  const [script, { cssBundle }] = outputs.find(([, { entryPoint }]) => entryPoint === entry);
  const manifest = { script: basename(script), style: basename(cssBundle) };
  const files = [
    ...outputFiles.map(({ path, contents }) => ({ name: basename(path), contents })),
    { name: "manifest.json", contents: JSON.stringify(manifest) },
  ];
  return { files, inputs: Object.keys(metafile.inputs) };
}

/** As `http/console.ts` sends the files: Cloudflare sends them without the router, and reads this. */
const headers = `/console/assets/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
  Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
`;

/** Writes the files where `wrangler.toml` has the Worker's assets: below their addresses. */
export async function writeConsole(folder, built = buildConsole()) {
  const { files } = await built;
  const assets = join(folder, "console", "assets");
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  writeFileSync(join(folder, "_headers"), headers);
  for (const { name, contents } of files) writeFileSync(join(assets, name), contents);
}

// Before wrangler bundles the Worker.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureOauthProvider();
  await writeConsole(join(checkout, ".wrangler", "console"));
}
