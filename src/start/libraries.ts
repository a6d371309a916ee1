/**
 * `npm run libraries`: builds the package `mcp-sampling-router-sdk` into `dist/sdk`, whole, so that `npm pack` or
 * `npm publish` takes the folder as it is. Node runs no TypeScript under `node_modules`, so JavaScript is published.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { build } from "esbuild";

const checkout = join(import.meta.dirname, "..", "..");

/** By what a program imports: the file under `src` that it gets. */
const entries = {
  server: "libraries/server/hosted-sampling",
  client: "libraries/client/routed-sampling",
} as const;

/** @param folder of the libraries in their package, with a slash at its end */
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

/** Source files are imported as `.ts` here, and the declarations keep that: who installs them has `.d.ts` files. */
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

/** A page of the docs for a place where the other pages are not: links to them keep their words. */
export const pageAlone = (name: string): string =>
  readFileSync(join(checkout, "docs", name), "utf8").replaceAll(
    /\[([^\]]+)\]\((?!https:)[^)]+\)/g,
    "$1",
  );

/** @param folder made anew */
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
    // Node prints the line of an uncaught error, so the file is readable. A program's own bundler minifies it.
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
