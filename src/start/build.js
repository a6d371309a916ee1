/**
 * Builds the server from its source, and keeps what it built for the next start. Plain JavaScript, as
 * `start.js` is: nothing has been built when it runs.
 */
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
/** What was built for other sources is thrown away after so many days without a start. */
const keptDays = 14;
/** Each is one file for Node: what a start loads is what it runs. */
const entries = { server: "src/start/serve.ts", thread: "src/store/engines/embedded/thread.ts" };

/** Everything that a build is made of, but for packages, which the lockfile names. */
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

/** The console's files, each in the folder `console`. */
async function builtConsole() {
  const { files, inputs } = await buildConsole();
  return files.map(({ name, contents }) => ({
    name: join("console", name),
    text: contents,
    inputs,
  }));
}

/**
 * How a file of the server finds its surroundings. What a start builds may lie elsewhere than the packages that it
 * needs, so it names the checkout. What the package holds lies beside its packages, wherever that is.
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
 * Name → text, and what each was made of.
 * @param {"checkout" | "package"} place where the files will lie
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
        // Native, so it stays where npm has put it.
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

/** Whole or not at all: several starts may build at once. */
function keep(folder, built) {
  mkdirSync(dirname(folder), { recursive: true });
  const whole = mkdtempSync(`${folder}.`);
  mkdirSync(join(whole, "console"));
  for (const { name, text } of built) writeFileSync(join(whole, name), text);
  // Others may run what one user has built, as they may run the source.
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

/** The folder of what was built, now or before. `onBuild` is told when it takes a moment. */
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
    // An installation that may not be written to: it is built at each start.
    const temporary = mkdtempSync(join(tmpdir(), "sampling-router-"));
    process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
    return keep(join(temporary, "built"), made);
  }
}

/** A text that is made of the same sources, made now or before. `make` gives null for what is not to be kept. */
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
    // An installation that may not be written to: the text is made at each start.
    rmSync(whole, { force: true });
  }
  return text;
}
