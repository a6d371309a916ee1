/**
 * `npm run libraries`: builds the package `mcp-sampling-router-sdk` into `dist/sdk`, as JavaScript, since Node
 * runs no TypeScript below `node_modules`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { build } from "esbuild";

const checkout = join(import.meta.dirname, "..", "..");

/** Import path → source file. */
const entries = {
  server: "libraries/server/hosted-sampling",
  client: "libraries/client/routed-sampling",
} as const;

/** @param folder with a trailing slash */
export const exportsOf = (folder: string): Record<string, object> =>
  Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [
      `./${name}`,
      { types: `${folder}types/${file}.d.ts`, default: `${folder}${name}.js` },
    ]),
  );

function manifest(version: string): object {
  return {
    name: "mcp-sampling-router-sdk",
    version,
    description: "Sampling for MCP servers and clients, answered by a Sampling Router.",
    license: "MIT",
    type: "module",
    engines: { node: ">=20" },
    sideEffects: false,
    files: ["*.js", "types", "LICENSE", "README.md"],
    exports: { ...exportsOf("./"), "./package.json": "./package.json" },
    publishConfig: { access: "public", provenance: true },
  };
}

/** Rewrites `.ts` imports for `.d.ts` files. */
function declare(folder: string): void {
  const settings = join(folder, "tsconfig.json");
  const source = join(checkout, "src");
  writeFileSync(
    settings,
    JSON.stringify({
      extends: join(checkout, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        types: [],
        rootDir: source,
        outDir: folder,
      },
      include: [],
      files: Object.values(entries).map((file) => join(source, `${file}.ts`)),
    }),
  );
  const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", settings], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  rmSync(settings);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const text = readFileSync(join(folder, name), "utf8");
    writeFileSync(join(folder, name), text.replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'));
  }
}

/** Removes links to pages that are not in the package. */
export const pageAlone = (name: string): string =>
  readFileSync(join(checkout, "docs", name), "utf8").replaceAll(
    /\[([^\]]+)\]\((?!https:)[^)]+\)/g,
    "$1",
  );

/** @param folder recreated */
export async function buildLibraries(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const types = join(folder, "types");
  mkdirSync(types, { recursive: true });
  await build({
    absWorkingDir: checkout,
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, `src/${file}.ts`]),
    ),
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    // Readable in stack traces.
    minify: false,
    logLevel: "warning",
  });
  declare(types);
  const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
    version: string;
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(version), null, 2)}\n`);
  cpSync(join(checkout, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "README.md"), pageAlone("libraries.md"));
}

if (import.meta.main) {
  const folder = join(checkout, "dist", "sdk");
  await buildLibraries(folder);
  process.stdout.write(`Built ${folder}: npm pack ${folder}\n`);
}
