/**
 * `npm run package`: builds both packages into `dist`. `dist/router` is `mcp-sampling-router`: bundled server,
 * commands, and the libraries of `dist/sdk`. The checkout's `package.json` is private.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { build as bundle } from "esbuild";
import { build as buildServer } from "./build.js";
import { bundleWorker } from "./bundle.ts";
import { writeConsole } from "./console-build.js";
import { buildLibraries, exportsOf, pageAlone } from "./libraries.ts";
import { shrinkwrapOf, type Lock } from "./shrinkwrap.ts";
import { noticesOf } from "./notices.ts";

const checkout = join(import.meta.dirname, "..", "..");

/** Command → file in `src/cli`. */
const commands = [
  "init",
  "doctor",
  "proxy",
  "backup",
  "restore",
  "migrate",
  "catalogue",
  "audit",
  "replay",
] as const;

interface Checkout {
  version: string;
  description: string;
  dependencies: Record<string, string>;
}

const manifest = ({ version, description, dependencies }: Checkout) => ({
  name: "mcp-sampling-router",
  version,
  description,
  keywords: ["mcp", "model-context-protocol", "sampling", "router"],
  license: "MIT",
  type: "module",
  engines: { node: ">=22.15" },
  bin: { "mcp-sampling-router": "./bin.js" },
  exports: { ...exportsOf("./libraries/"), "./package.json": "./package.json" },
  files: [
    "bin.js",
    "lib",
    "libraries",
    "migrations",
    "LICENSE",
    "NOTICE",
    "README.md",
    "THIRD-PARTY.txt",
    "npm-shrinkwrap.json",
  ],
  // Native, so it can't be bundled.
  dependencies: { libsql: dependencies["libsql"] },
  publishConfig: { access: "public", provenance: true },
});

/** For a folder with the package in `node_modules`. */
export function installedConfiguration(toml: string): string {
  const lib = "node_modules/mcp-sampling-router/lib";
  return toml
    .replace(
      /^# The Worker's deployment\..*\n/,
      "# Sampling Router on Cloudflare: npx wrangler deploy.\n",
    )
    .replace(
      'main = "src/worker.ts"',
      `main = "${lib}/worker/worker.js"\n# Built in the package.\nno_bundle = true`,
    )
    .replace(/^\[build\]\n(?:.+\n)*\n/m, "")
    .replace('directory = ".wrangler/console"', `directory = "${lib}/assets"`);
}

/** With shared chunks. */
async function buildCommands(folder: string): Promise<string[]> {
  const { metafile } = await bundle({
    absWorkingDir: checkout,
    entryPoints: commands.map((name) => `src/cli/${name}.ts`),
    outdir: folder,
    chunkNames: "shared-[hash]",
    bundle: true,
    splitting: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node22",
    external: ["libsql"],
    // CommonJS packages `require` Node's modules.
    banner: {
      js: `import { createRequire as createRequireOf } from "node:module"; const require = createRequireOf(import.meta.url);`,
    },
    define: {
      builtForPackage: "true",
      "process.env.NODE_ENV": '"production"',
    },
    loader: { ".sql": "text", ".txt": "text", ".html": "text" },
    logLevel: "silent",
  });
  return Object.keys(metafile.inputs);
}

async function buildWorker(folder: string): Promise<string[]> {
  const script = await bundleWorker(checkout, "src/worker.ts");
  if (!script.ok) throw new Error(script.error);
  // Separate, since wrangler includes all modules in the main module's folder.
  mkdirSync(join(folder, "worker"), { recursive: true });
  writeFileSync(join(folder, "worker", "worker.js"), script.value.text);
  await writeConsole(join(folder, "assets"));
  writeFileSync(
    join(folder, "wrangler.toml"),
    installedConfiguration(readFileSync(join(checkout, "wrangler.toml"), "utf8")),
  );
  return script.value.inputs;
}

function copyMigrations(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(join(checkout, "migrations")).filter((each) =>
    each.endsWith(".sql"),
  ))
    cpSync(join(checkout, "migrations", name), join(folder, name));
}

/** @param folders recreated */
export async function buildPackages(folders: { router: string; sdk: string }): Promise<void> {
  const { router, sdk } = folders;
  await buildLibraries(sdk);
  rmSync(router, { recursive: true, force: true });
  const server = await buildServer("package");
  for (const { name, text } of server) {
    const path = join(router, "lib", "server", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const ofWorker = await buildWorker(join(router, "lib"));
  const ofCommands = await buildCommands(join(router, "lib", "commands"));
  for (const name of ["machine.js", "env-file.js", "start-arguments.js", "v8-options.js"])
    cpSync(join(checkout, "src", "start", name), join(router, "lib", name));
  cpSync(join(checkout, "src", "start", "bin.js"), join(router, "bin.js"));
  chmodSync(join(router, "bin.js"), 0o755);
  for (const name of ["server.js", "client.js", "types"])
    cpSync(join(sdk, name), join(router, "libraries", name), { recursive: true });
  copyMigrations(join(router, "migrations"));
  for (const name of ["LICENSE", "NOTICE"]) cpSync(join(checkout, name), join(router, name));
  writeFileSync(join(router, "README.md"), pageAlone("package.md"));
  const inputs = [...server.flatMap((file) => file.inputs), ...ofCommands, ...ofWorker];
  writeFileSync(join(router, "THIRD-PARTY.txt"), noticesOf(checkout, inputs));
  const own = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as Checkout;
  const published = manifest(own);
  writeFileSync(join(router, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  const lock = JSON.parse(readFileSync(join(checkout, "package-lock.json"), "utf8")) as Lock;
  writeFileSync(
    join(router, "npm-shrinkwrap.json"),
    `${JSON.stringify(shrinkwrapOf(lock, published), null, 2)}\n`,
  );
}

if (import.meta.main) {
  const folders = { router: join(checkout, "dist", "router"), sdk: join(checkout, "dist", "sdk") };
  await buildPackages(folders);
  for (const folder of Object.values(folders))
    process.stdout.write(`Built ${folder}: npm pack ${folder}\n`);
}
