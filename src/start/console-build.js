/**
 * Builds the console: a main script, a script per page, and rarely used scripts. Names contain a content hash,
 * listed in `manifest.json`. Plain JavaScript, since `build.js` calls it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { copyAiSdk } from "./ai-sdk-build.js";
import { ensureOauthProvider } from "./oauth-provider-build.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const entry = "src/console/main.tsx";
const pages = "src/console/pages";
// Ed25519 in WebCrypto is the newest required feature.
const target = ["chrome137", "firefox129", "safari17"];

/** Inlined in the main script to save a request. */
const styles = (inputs) => ({
  name: "styles",
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles, metafile } = await esbuild.build({
        absWorkingDir: checkout,
        entryPoints: [path],
        bundle: true,
        write: false,
        metafile: true,
        minify: true,
        target,
        logLevel: "silent",
      });
      inputs.push(...Object.keys(metafile.inputs));
      return { contents: outputFiles[0].text, loader: "text" };
    });
  },
});

/** The offline verifier as one script for Node, so that an auditor needs no checkout. */
async function bundleVerifier() {
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    absWorkingDir: checkout,
    entryPoints: ["src/cli/audit.ts"],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    define: { builtAsFile: '"audit.mjs"' },
    legalComments: "none",
    logLevel: "silent",
  });
  return { contents: outputFiles[0].contents, inputs: Object.keys(metafile.inputs) };
}

/** Importing `audit-verifier` yields the name of the verifier's file. */
const verifierFile = (contents) => ({
  name: "audit-verifier",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^audit-verifier$/ }, () => ({ path: "audit.js", namespace: "verifier" }));
    onLoad({ filter: /./, namespace: "verifier" }, () => ({ contents, loader: "file" }));
  },
});

/**
 * A page needs only the main script and its own file.
 * @param shared modules of several pages, moved into the main script
 * @param own modules of a page's file
 */
const pagesApart = ({ shared, own }) => ({
  name: "pages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.tsx$/ }, ({ kind, path, resolveDir }) =>
      kind === "dynamic-import" || kind === "entry-point"
        ? { path: relative(checkout, join(resolveDir, path)), namespace: "page" }
        : undefined,
    );
    onLoad({ filter: /./, namespace: "page" }, ({ path }) => ({
      contents: [
        ...[entry, ...shared].map((each) => `import ${JSON.stringify(`./${each}`)};`),
        `export * from ${JSON.stringify(`./${path}`)};`,
      ].join("\n"),
      resolveDir: checkout,
      pluginData: path.startsWith(pages) ? path : undefined,
    }));
    // A module that two pages need is in both files: in the main script, all pages would load it.
    onResolve({ filter: /^\./ }, ({ path, resolveDir, pluginData: page }) => {
      const found = join(resolveDir, path);
      return page === undefined || !own(page).has(relative(checkout, found))
        ? undefined
        : { path: found, suffix: `?${page}`, pluginData: page };
    });
    onLoad({ filter: /\.tsx?$/ }, ({ path, suffix, pluginData }) =>
      suffix === ""
        ? undefined
        : {
            contents: readFileSync(path, "utf8"),
            loader: extname(path).slice(1),
            resolveDir: dirname(path),
            pluginData,
          },
    );
  },
});

async function bundle(parts, inputs, verifier) {
  const { build } = await import("esbuild");
  return build({
    absWorkingDir: checkout,
    entryPoints: [entry],
    outdir: "console",
    bundle: true,
    splitting: true,
    plugins: [styles(inputs), verifierFile(verifier), pagesApart(parts)],
    entryNames: "console-[hash]",
    chunkNames: "console-[hash]",
    assetNames: "[name]-[hash]",
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target,
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
    logLevel: "silent",
  });
}

/** They hold state, which a page must not have twice. */
const stateful = "src/console/live/";

/** What is in the main script, and what is in each page's file. */
function partsOf({ inputs }) {
  const reached = (from, found = new Set()) => {
    if (found.has(from)) return found;
    found.add(from);
    for (const { path, kind } of inputs[from]?.imports ?? [])
      if (kind !== "dynamic-import") reached(path, found);
    return found;
  };
  const main = reached(entry);
  const counts = new Map();
  for (const page of Object.keys(inputs).filter((path) => path.startsWith("page:")))
    for (const path of reached(page))
      if (!main.has(path)) counts.set(path, (counts.get(path) ?? 0) + 1);
  const shared = [...counts].flatMap(([path, count]) =>
    count > 2 || (count > 1 && (path.startsWith(stateful) || path.includes("node_modules")))
      ? [path]
      : [],
  );
  // What a shared module imports is shared.
  const inMain = new Set([...main, ...shared.flatMap((path) => [...reached(path)])]);
  const own = (page) => new Set([...reached(`page:${page}`)].filter((path) => !inMain.has(path)));
  return { shared, own };
}

export async function buildConsole() {
  const [verifier, { metafile: graph }] = await Promise.all([
    bundleVerifier(),
    bundle({ shared: [], own: () => new Set() }, [], ""),
  ]);
  const sources = [...verifier.inputs];
  const { outputFiles, metafile } = await bundle(partsOf(graph), sources, verifier.contents);
  const outputs = Object.entries(metafile.outputs);
  const [script] = outputs.find(([, { inputs }]) => entry in inputs);
  // It only imports the main script, which the page preloads.
  const [wayIn] = outputs.find(([, { entryPoint }]) => entryPoint === `page:${entry}`);
  const manifest = {
    script: basename(script),
    pages: Object.fromEntries(
      outputs.flatMap(([file, { entryPoint = "" }]) =>
        entryPoint.startsWith(`page:${pages}/`)
          ? [[basename(entryPoint, ".tsx"), basename(file)]]
          : [],
      ),
    ),
  };
  const named = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  const files = [
    ...named.filter(({ name }) => name !== basename(wayIn)),
    { name: "manifest.json", contents: JSON.stringify(manifest) },
  ];
  const inputs = [...Object.keys(metafile.inputs), ...sources].map((path) => path.split("?")[0]);
  return { files, inputs: inputs.filter((path) => !path.startsWith("page:")) };
}

/** As in `http/console.ts`, for Cloudflare, which serves the files itself. */
const headers = `/console/assets/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
  Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
`;

/** For the Worker's assets in `wrangler.toml`. */
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
  copyAiSdk();
  await writeConsole(join(checkout, ".wrangler", "console"));
}
