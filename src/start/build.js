/** Builds the server and caches the result. Plain JavaScript, since nothing has been built yet. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildConsole } from "./console-build.js";
import { ensureOauthProvider, oauthProviderInputs } from "./oauth-provider-build.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
/** Days without a start after which an old build is deleted. */
const keptDays = 14;
/** One file each. */
const entries = { server: "src/start/serve.ts", thread: "src/store/engines/embedded/thread.ts" };

/** All inputs of a build; the lockfile represents packages. */
function fingerprint() {
  const hash = createHash("sha256").update(checkout);
  const sources = readdirSync(join(checkout, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|js|json|html|css|txt|sql)$/.test(name))
    .toSorted()
    .map((name) => join("src", name));
  const journal = join("migrations", "meta", "_journal.json");
  for (const name of [...sources, journal, "package-lock.json"])
    if (existsSync(join(checkout, name)))
      hash.update(`\0${name}\0`).update(readFileSync(join(checkout, name)));
  return hash.digest("hex").slice(0, 32);
}

/** In the folder `console`. */
async function builtConsole() {
  const { files, inputs } = await buildConsole();
  return files.map(({ name, contents }) => ({
    name: join("console", name),
    text: contents,
    inputs,
  }));
}

/**
 * How a built file locates its surroundings: a start's build names the checkout, the package's files are beside
 * their packages.
 */
const places = {
  checkout: (entry) => ({
    address: JSON.stringify(pathToFileURL(join(checkout, entry)).href),
    banner: `var require = process.getBuiltinModule("node:module").createRequire(${JSON.stringify(join(checkout, "package.json"))});`,
    define: {},
  }),
  package: () => ({
    address: "addressOfModule",
    banner: `const addressOfModule = require("node:url").pathToFileURL(__filename).href;`,
    define: { builtForPackage: "true" },
  }),
};

/**
 * Name → text and inputs.
 * @param {"checkout" | "package"} place where the files will be
 */
export async function build(place = "checkout") {
  const { build: bundle } = await import("esbuild");
  await ensureOauthProvider();
  const server = Promise.all(
    Object.entries(entries).map(async ([name, entry]) => {
      const { address, banner, define } = places[place](entry);
      const { outputFiles, metafile } = await bundle({
        absWorkingDir: checkout,
        entryPoints: [entry],
        bundle: true,
        write: false,
        metafile: true,
        format: "cjs",
        platform: "node",
        target: "node22",
        // Native, so it stays in node_modules.
        external: ["libsql"],
        define: {
          ...define,
          "import.meta.url": address,
          "process.env.NODE_ENV": '"production"',
        },
        banner: { js: banner },
        loader: { ".html": "text", ".txt": "text", ".sql": "text" },
        logLevel: "silent",
      });
      return {
        name: `${name}.cjs`,
        text: outputFiles[0].text,
        inputs: [...Object.keys(metafile.inputs), ...oauthProviderInputs],
      };
    }),
  );
  return [...(await server), ...(await builtConsole())];
}

/** Atomically, since several starts may build at once. */
function keep(folder, built) {
  mkdirSync(dirname(folder), { recursive: true });
  const whole = mkdtempSync(`${folder}.`);
  mkdirSync(join(whole, "console"));
  for (const { name, text } of built) writeFileSync(join(whole, name), text);
  // Readable by other users, like the source.
  chmodSync(whole, 0o755);
  try {
    renameSync(whole, folder);
  } catch (cause) {
    rmSync(whole, { recursive: true, force: true });
    if (!existsSync(folder)) throw cause;
  }
  return folder;
}

function forgetOthers(folder) {
  const oldest = Date.now() - keptDays * 86_400_000;
  for (const name of readdirSync(dirname(folder))) {
    const other = join(dirname(folder), name);
    if (other !== folder && statSync(other, { throwIfNoEntry: false })?.mtimeMs < oldest)
      rmSync(other, { recursive: true, force: true });
  }
}

const cache = join(checkout, "node_modules", ".cache", "sampling-router");

/** Returns the folder. `onBuild` is called if building takes a moment. */
export async function ensureBuilt(onBuild) {
  const folder = join(cache, fingerprint());
  if (existsSync(folder)) return folder;
  onBuild();
  const made = await build();
  try {
    keep(folder, made);
    forgetOthers(folder);
    return folder;
  } catch {
    // Read-only installations are built at each start.
    const temporary = mkdtempSync(join(tmpdir(), "sampling-router-"));
    process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
    return keep(join(temporary, "built"), made);
  }
}

/** Builds or reuses a text; `null` from `make` is not cached. */
export async function ensureText(name, make) {
  const path = join(cache, `${fingerprint()}-${name}`);
  if (existsSync(path)) return readFileSync(path, "utf8");
  const text = await make();
  if (text === null) return null;
  const whole = `${path}.${process.pid}`;
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(whole, text);
    renameSync(whole, path);
  } catch {
    // Read-only installations rebuild at each start.
    rmSync(whole, { force: true });
  }
  return text;
}
